/** Takes about a millisecond. */
const BYTES_PER_TURN = 1024 * 1024;

/**
 * Shares each turn of the event loop among the bodies that are being read: dozens of large
 * ones at once would hold up other callers.
 */
export class BodyTurns {
  /** Since the latest pause. */
  #bytes = 0;
  readonly #waiting: (() => void)[] = [];
  #running = false;

  /** Counts bytes that were copied; false: `resume` is called in a later turn. */
  take(bytes: number, resume: () => void): boolean {
    this.#bytes += bytes;
    if (this.#bytes < BYTES_PER_TURN) return true;
    this.#waiting.push(resume);
    if (!this.#running) setImmediate(this.#next);
    this.#running = true;
    return false;
  }

  readonly #next = (): void => {
    this.#bytes = 0;
    while (this.#bytes < BYTES_PER_TURN && this.#waiting.length > 0) this.#waiting.shift()?.();
    this.#running = this.#waiting.length > 0;
    if (this.#running) setImmediate(this.#next);
  };
}
