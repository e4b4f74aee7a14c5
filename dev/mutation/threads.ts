import { setImmediate } from 'node:timers/promises';

/** In place of piscina: tasks run one by one on the thread of the tests, where mutants are. */
export const transferableSymbol = Symbol('transferable');
export const valueSymbol = Symbol('value');

export class Piscina {
  #tasks = 0;
  #latest = Promise.resolve();
  readonly #module: Promise<{ default(task: unknown): unknown }>;

  constructor({ filename }: { filename: string }) {
    this.#module = import(filename);
  }

  static move = (moved: unknown) => moved;

  /** All but the one that runs. */
  get queueSize(): number {
    return Math.max(0, this.#tasks - 1);
  }

  async run(task: object, { signal }: { signal: AbortSignal }): Promise<unknown> {
    const copy = structuredClone(valueIn(task));
    const before = this.#latest;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#latest = promise;
    this.#tasks += 1;
    try {
      await before;
      await setImmediate();
      signal.throwIfAborted();
      const { default: work } = await this.#module;
      return valueIn(work(copy));
    } finally {
      this.#tasks -= 1;
      resolve();
    }
  }

  async destroy(): Promise<void> {}
}

function valueIn(message: unknown): unknown {
  return Object(message)[valueSymbol] ?? message;
}
