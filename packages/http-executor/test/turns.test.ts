import { expect, it } from 'vitest';
import { Turns } from '../src/turns.ts';

/** Returns the turn of the event loop in which each of several bodies may be decoded. */
async function turnsOf(sizes: readonly number[]): Promise<number[]> {
  const turns = new Turns();
  let turn = 0;
  const count = () => {
    turn += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  const decoded = sizes.map((bytes) => turns.next(bytes).then(() => turn));
  const found = await Promise.all(decoded);
  clearImmediate(next);
  return found;
}

const [SMALL, LARGE] = [65_536, 65_537];

it.each([
  ['small bodies wait for no turn', [0, SMALL, SMALL], [0, 0, 0]],
  ['each large body gets a turn of its own', [LARGE, 10 * LARGE, LARGE], [1, 2, 3]],
  ['small bodies do not wait for large ones', [LARGE, SMALL, LARGE, SMALL], [1, 0, 2, 0]],
])('of bodies that arrive together, %s', async (_name, sizes, turns) => {
  expect(await turnsOf(sizes)).toEqual(turns);
});
