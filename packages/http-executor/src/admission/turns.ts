import { setImmediate } from 'node:timers/promises';

/** Size of a body that takes about a millisecond to decode. */
const LARGE_BYTES = 64 * 1024;

/**
 * Gives each large body a turn of the event loop of its own. Decoding several that arrive at the
 * same time would block the event loop for a quarter of a second.
 */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  async next(bytes: number): Promise<void> {
    if (bytes <= LARGE_BYTES) return;
    this.#last = this.#last.then(() => setImmediate());
    await this.#last;
  }
}
