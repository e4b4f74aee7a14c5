/**
 * Runs pieces of work that take long, one in each turn of the event loop: many that come at once hold up other callers
 * for no longer than one of them does.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];

  /** INVARIANT: the work does not throw. */
  take(work: () => void): void {
    this.#waiting.push(work);
    if (this.#waiting.length === 1) setImmediate(this.#run);
  }

  readonly #run = (): void => {
    this.#waiting[0]?.();
    this.#waiting.shift();
    if (this.#waiting.length > 0) setImmediate(this.#run);
  };
}
