import { describe, expect, it } from 'vitest';
import { Batches } from '../../src/store/batches.ts';

const MIB = 1024 * 1024;

/** Adds calls at the same time and returns the batches in which they run. */
async function batchesOf(calls: readonly number[]): Promise<number[][]> {
  const ran: number[][] = [];
  const batches = new Batches(
    async (batch: readonly number[]) => {
      ran.push([...batch]);
      return batch;
    },
    (call) => call,
  );
  expect(await Promise.all(calls.map((call) => batches.add(call)))).toEqual(calls);
  return ran;
}

describe('batches', () => {
  it.each([
    ['one call', [1], [[1]]],
    ['calls at the same time', [1, 2, 3], [[1, 2, 3]]],
    ['calls of 1 MiB in total', [MIB - 1, 1], [[MIB - 1, 1]]],
    ['calls of more than 1 MiB in total', [MIB, 1, 2], [[MIB], [1, 2]]],
    ['a call of more than 1 MiB', [2 * MIB, 1], [[2 * MIB], [1]]],
  ])('%s', async (_title, calls, expected) => {
    expect(await batchesOf(calls)).toEqual(expected);
  });

  it('have at most 64 calls', async () => {
    const sizes = async (count: number) =>
      (await batchesOf(Array(count).fill(0))).map((each) => each.length);
    expect(await sizes(64)).toEqual([64]);
    expect(await sizes(65)).toEqual([64, 1]);
  });

  it('run one after the other, and fail without failing the next batch', async () => {
    const first = Promise.withResolvers<number[]>();
    const ran: string[][] = [];
    const batches = new Batches((batch: readonly string[]) => {
      ran.push([...batch]);
      return ran.length === 1 ? first.promise : Promise.resolve(batch.map(Number));
    });
    const one = batches.add('1');
    await expect.poll(() => ran.length).toBe(1);
    const others = [batches.add('2'), batches.add('3')];
    first.reject(new Error('lost'));
    await expect(one).rejects.toThrow('lost');
    expect(await Promise.all(others)).toEqual([2, 3]);
    expect(ran).toEqual([['1'], ['2', '3']]);
  });
});
