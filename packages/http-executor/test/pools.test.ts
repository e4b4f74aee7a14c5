import { afterAll, expect, it } from 'vitest';
import { Cancelled } from '../src/index.ts';
import { createThreads } from '../src/threads/pools.ts';

const HEAP_MB = 16;
const open = () => createThreads(new URL('./support/failing-worker.ts', import.meta.url), HEAP_MB);
const threads = open();
afterAll(() => threads.close());

const OPTIONS = { tryQuick: true, budgetMs: 500 };

it('a task that throws rejects with its error', async () => {
  await expect(threads.run('fail', {}, OPTIONS)).rejects.toThrow(
    new TypeError('a mistake of our own'),
  );
});

it('a task that exhausts the memory of its thread is beyond limits', async () => {
  expect(await threads.run('fill', {}, OPTIONS)).toBe('beyond limits');
});

it('a task is cancelled if the threads close before its end', async () => {
  const closing = open();
  const result = expect(closing.run('hang', {}, OPTIONS)).rejects.toBeInstanceOf(Cancelled);
  await closing.close();
  await result;
});
