import { afterEach, expect, it } from 'vitest';
import { Cancelled } from '../../src/index.ts';
import { type TaskLimits, Threads } from '../../src/threads/threads.ts';

const FILE = new URL('./support/worker.ts', import.meta.url);
const LIMITS: TaskLimits = { caller: 'a', isUrgent: false, cpuMs: 60_000, maxWaitMs: 60_000 };

const opened: Threads[] = [];
function open(maxThreads = 2): Threads {
  const threads = new Threads({ heapMb: 16, maxThreads, file: FILE });
  opened.push(threads);
  return threads;
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((threads) => threads.close()));
});

/** Starts a task that lasts until it is stopped. */
function occupy(threads: Threads, caller: string | undefined) {
  const stop = new AbortController();
  const done = threads.run('sleep', 600_000, { ...LIMITS, caller, signal: stop.signal });
  return { stop: () => stop.abort(new Error('stopped')), done: done.catch(() => 'stopped') };
}

const run = (threads: Threads, name: string, limits: Partial<TaskLimits> = {}) =>
  threads.run(name, name, { ...LIMITS, ...limits });

it('returns the result of a task', async () => {
  expect(await run(open(), 'echo')).toEqual({ ok: true, value: 'echo' });
});

it('rejects with what a task throws, and goes on', async () => {
  const threads = open();
  await expect(run(threads, 'fail')).rejects.toThrow(new TypeError('a mistake of our own'));
  expect(await run(threads, 'echo')).toMatchObject({ ok: true });
});

it('ends a thread that takes too much memory, and goes on', async () => {
  const threads = open();
  expect(await run(threads, 'fill')).toEqual({ ok: false, reason: 'out of memory' });
  expect(await run(threads, 'echo')).toMatchObject({ ok: true });
});

it('ends a thread that takes too much processor time, and goes on', async () => {
  const threads = open();
  for (let round = 0; round < 2; round++) {
    expect(await run(threads, 'spin', { cpuMs: 200 })).toEqual({
      ok: false,
      reason: 'out of time',
    });
    expect(await run(threads, 'echo')).toMatchObject({ ok: true });
  }
});

it('allows five times as much time to pass', async () => {
  const threads = open();
  // Starts the thread, which can take long on a busy machine.
  await run(threads, 'echo');
  const sleep = (ms: number) => threads.run('sleep', ms, { ...LIMITS, cpuMs: 400 });
  expect(await sleep(1_000)).toEqual({ ok: true, value: 'timed-out' });
  expect(await sleep(60_000)).toEqual({ ok: false, reason: 'out of time' });
});

it('counts only the processor time of the task itself', async () => {
  const threads = open();
  await threads.run('work', 1_000, LIMITS);
  // Sleeps, because on a busy machine any work could take more than five times as long.
  const slept = await threads.run('sleep', 600, { ...LIMITS, cpuMs: 1_000 });
  expect(slept).toEqual({ ok: true, value: 'timed-out' });
});

it('is busy after the longest wait', async () => {
  const threads = open();
  const first = occupy(threads, 'a');
  expect(await run(threads, 'echo', { maxWaitMs: 20 })).toEqual({ ok: false, reason: 'busy' });
  first.stop();
  await first.done;
  expect(await run(threads, 'echo')).toMatchObject({ ok: true });
});

it.each([
  [2, 1],
  [3, 2],
  // Fewer than two threads would leave none for others.
  [1, 1],
])('never gives the last of %d threads to one caller', async (maxThreads, most) => {
  for (const caller of ['a', undefined]) {
    const threads = open(maxThreads);
    const own = Array.from({ length: most }, () => occupy(threads, caller));
    expect(await run(threads, 'echo', { caller, maxWaitMs: 20 })).toMatchObject({ reason: 'busy' });
    expect(await run(threads, 'echo', { caller: 'b' })).toMatchObject({ ok: true });
    own[0]?.stop();
    expect(await run(threads, 'echo', { caller })).toMatchObject({ ok: true });
  }
});

it('runs tasks in order, but urgent ones and other callers first', async () => {
  const threads = open();
  const [a, b] = [occupy(threads, 'a'), occupy(threads, 'b')];
  const order: string[] = [];
  const add = (name: string, limits: Partial<TaskLimits>) =>
    run(threads, 'echo', limits).then(() => order.push(name));
  const added = [
    add('a1', { caller: 'a' }),
    add('b1', { caller: 'b' }),
    add('b2', { caller: 'b' }),
    add('b3 urgent', { caller: 'b', isUrgent: true }),
  ];
  b.stop();
  await Promise.all(added.slice(1));
  expect(order).toEqual(['b3 urgent', 'b1', 'b2']);
  a.stop();
  await Promise.all(added);
});

it('stops a task, and forgets one that waits, when its signal is aborted', async () => {
  const threads = open();
  const stop = new AbortController();
  const limits = { signal: stop.signal };
  const both = ['spin', 'echo'].map((name) =>
    expect(run(threads, name, limits)).rejects.toBeInstanceOf(Cancelled),
  );
  stop.abort();
  await Promise.all(both);
  await expect(run(threads, 'echo', limits)).rejects.toBeInstanceOf(Cancelled);
  expect(await run(threads, 'echo')).toMatchObject({ ok: true });
});

it('rejects all tasks when it is closed', async () => {
  const threads = open();
  const rejected = (name: string) => expect(run(threads, name)).rejects.toBeInstanceOf(Cancelled);
  const both = [rejected('spin'), rejected('echo')];
  await threads.close();
  await Promise.all([...both, rejected('echo')]);
});
