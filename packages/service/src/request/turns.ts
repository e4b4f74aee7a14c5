/**
 * Runs pieces of work that take long, one in each turn of the event loop: many that come
 * at once hold up other callers for no longer than one of them does.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #running = false;

  take(work: () => void): void {
    this.#waiting.push(work);
    if (this.#running) return;
    this.#running = true;
    setImmediate(this.#run);
  }

  readonly #run = (): void => {
    const work = this.#waiting.shift();
    if (this.#waiting.length > 0) setImmediate(this.#run);
    else this.#running = false;
    work?.();
  };
}
