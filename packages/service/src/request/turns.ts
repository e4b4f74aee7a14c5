/** Runs long work one piece per turn of the event loop, so that other callers get theirs. */
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
