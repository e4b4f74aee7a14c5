/** In place of piscina: tasks run on the thread of the tests, where the mutants are. */
export const transferableSymbol = Symbol('transferable');
export const valueSymbol = Symbol('value');

export class Piscina {
  readonly queueSize = 0;
  readonly #work: Promise<{ default(task: unknown): unknown }>;

  constructor({ filename }: { filename: string }) {
    this.#work = import(filename);
  }

  static move = (moved: { [valueSymbol]: unknown }) => moved[valueSymbol];

  async run(task: unknown): Promise<unknown> {
    const { default: work } = await this.#work;
    return work(task);
  }

  async destroy(): Promise<void> {}
}
