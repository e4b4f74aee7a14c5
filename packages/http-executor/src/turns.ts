import { setImmediate } from 'node:timers/promises';

/** Size of a body that takes about a millisecond to decode. */
const LARGE_BYTES = 64 * 1024;

/**
 * Turns of the event loop for work on large bodies, one at a time and one in each iteration, so
 * that the event loop also serves others, however many bodies arrive at the same time.
 */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Waits for a turn. Work on a body that is not large needs none. */
  async next(bytes = Number.POSITIVE_INFINITY): Promise<void> {
    if (bytes <= LARGE_BYTES) return;
    this.#last = this.#last.then(() => setImmediate());
    await this.#last;
  }
}

/** Number of JSON tokens to read in one turn, which takes a few milliseconds. */
const TOKENS_PER_TURN = 20_000;

/** Something that reads JSON step by step, such as a `JsonScanner`. */
interface JsonReader {
  /** Reads up to `tokens` more tokens. Returns true at the end. @throws {JsonFault} */
  read(tokens: number): boolean;
}

/** Reads to the end of a JSON document, and gives each part of a large one its own turn. */
export async function readInTurns(reader: JsonReader, turns: Turns): Promise<void> {
  while (!reader.read(TOKENS_PER_TURN)) await turns.next();
}
