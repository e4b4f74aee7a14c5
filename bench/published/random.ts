/** Numbers that look random and follow from a seed, so that every input can be made again. */
export interface Random {
  /** At least 0, below 1. */
  next(): number;
  /** A whole number from 0 to below `count`. */
  below(count: number): number;
  /** Small numbers most of the time, seldom ones up to `most`. */
  small(most: number): number;
  chance(probability: number): boolean;
  pick<T>(values: readonly T[]): T;
  times<T>(count: number, each: (n: number) => T): T[];
}

/** Of one input, whatever was made before it. */
export function random(seed: number, lane: string, index: number): Random {
  let state = hash(`${seed}/${lane}/${index}`);
  /** mulberry32 */
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (count: number) => Math.floor(next() * count);
  return {
    next,
    below,
    small: (most) => Math.floor(most ** next()),
    chance: (probability) => next() < probability,
    pick: <T>(values: readonly T[]) => values[below(values.length)] as T,
    times: (count, each) => Array.from({ length: count }, (_, n) => each(n)),
  };
}

function hash(text: string): number {
  let state = 0x811c9dc5;
  for (const letter of text) state = Math.imul(state ^ letter.charCodeAt(0), 0x01000193);
  return state >>> 0;
}
