import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Turns } from '../src/turns.ts';

const [SMALL, LARGE] = [65_536, 65_537];

/** Starts work on a body that takes three turns of the event loop, and logs its begin and end. */
async function work(turns: Turns, name: string, bytes: number, log: string[]): Promise<void> {
  using _turn = await turns.take(bytes);
  log.push(`${name} begins`);
  for (let turn = 0; turn < 3; turn++) await setImmediate();
  log.push(`${name} ends`);
}

it('works on large bodies one after another', async () => {
  const turns = new Turns();
  const log: string[] = [];
  await Promise.all(['a', 'b', 'c'].map((name) => work(turns, name, LARGE, log)));
  expect(log).toEqual(['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]));
});

it('lets small bodies pass', async () => {
  const turns = new Turns();
  const log: string[] = [];
  const large = ['a', 'b'].map((name) => work(turns, name, LARGE, log));
  await Promise.all([...large, work(turns, 'small', SMALL, log)]);
  expect(log).toEqual([
    ...['small begins', 'a begins', 'small ends'],
    ...['a ends', 'b begins', 'b ends'],
  ]);
});

it('goes on after a mistake', async () => {
  const turns = new Turns();
  const fail = async () => {
    using _turn = await turns.take(LARGE);
    throw new Error('mistake');
  };
  await expect(fail()).rejects.toThrow('mistake');
  const log: string[] = [];
  await work(turns, 'next', LARGE, log);
  expect(log).toEqual(['next begins', 'next ends']);
});

it('gives the event loop a turn before each large body', async () => {
  const turns = new Turns();
  let hasRun = false;
  setTimeout(() => {
    hasRun = true;
  });
  for (let body = 0; body < 1_000 && !hasRun; body++) (await turns.take(LARGE))[Symbol.dispose]();
  expect(hasRun).toBe(true);
});
