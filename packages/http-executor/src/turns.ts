import { setImmediate } from 'node:timers/promises';

/** Size of a body that takes about a millisecond to decode. */
const LARGE_BYTES = 64 * 1024;

/**
 * Lets one execution at a time work on a large body, so that those that arrive together neither
 * block the event loop nor all take memory for their work.
 */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Waits for the end of all turns before this one. A body that is not large needs no turn. */
  async take(bytes: number): Promise<Disposable> {
    if (bytes <= LARGE_BYTES) return { [Symbol.dispose]: () => {} };

    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    await setImmediate();
    return { [Symbol.dispose]: resolve };
  }
}

/** Number of JSON tokens to read without a pause, which takes a few milliseconds. */
const TOKENS_PER_PAUSE = 20_000;

/** Something that reads JSON step by step, such as a `JsonScanner`. */
interface JsonReader {
  /** Reads up to `tokens` more tokens. Returns true at the end. @throws {JsonFault} */
  read(tokens: number): boolean;
}

/** Reads to the end of a JSON document, with pauses in which the event loop serves others. */
export async function readToEnd(reader: JsonReader): Promise<void> {
  while (!reader.read(TOKENS_PER_PAUSE)) await setImmediate();
}
