/** Takes a few milliseconds. */
const BYTES_PER_TURN = 4 * 1024 * 1024;

/**
 * Shares each turn of the event loop among the bodies that are being read: dozens of large
 * ones at once would hold up other callers.
 */
export class BodyTurns {
  /** Copied in this turn. */
  #bytes = 0;
  readonly #waiting: (() => void)[] = [];
  #counting = false;

  /** Counts bytes that were copied; false: `resume` is called in a later turn. */
  take(bytes: number, resume: () => void): boolean {
    if (!this.#counting) setImmediate(this.#next);
    this.#counting = true;
    this.#bytes += bytes;
    if (this.#bytes < BYTES_PER_TURN) return true;
    this.#waiting.push(resume);
    return false;
  }

  readonly #next = (): void => {
    this.#bytes = 0;
    while (this.#bytes < BYTES_PER_TURN && this.#waiting.length > 0) this.#waiting.shift()?.();
    this.#counting = this.#waiting.length > 0;
    if (this.#counting) setImmediate(this.#next);
  };
}
