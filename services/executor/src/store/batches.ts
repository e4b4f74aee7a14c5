import { setImmediate } from 'node:timers/promises';

/** Largest batch: in calls, and in bytes unless it has only one call. */
const MAX_CALLS = 64;
const MAX_BYTES = 1024 * 1024;

interface Waiting<Call, Result> extends PromiseWithResolvers<Result> {
  readonly call: Call;
}

/**
 * Collects the calls that arrive while a batch runs and makes them the next batch, so that they
 * share one statement and one write to the disk. If a batch fails, all of its calls fail.
 */
export class Batches<Call, Result> {
  readonly #run: (calls: readonly Call[]) => Promise<readonly Result[]>;
  readonly #bytesOf: (call: Call) => number;
  #waiting: Waiting<Call, Result>[] = [];
  #isRunning = false;

  /** `run` returns the results in the order of the calls. */
  constructor(
    run: (calls: readonly Call[]) => Promise<readonly Result[]>,
    bytesOf: (call: Call) => number = () => 0,
  ) {
    this.#run = run;
    this.#bytesOf = bytesOf;
  }

  add(call: Call): Promise<Result> {
    const waiting = { call, ...Promise.withResolvers<Result>() };
    this.#waiting.push(waiting);
    if (!this.#isRunning) void this.#runAll();
    return waiting.promise;
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      // The results of a batch often lead to calls at the same time, which belong together.
      await setImmediate();
      await this.#runNext();
    }
    this.#isRunning = false;
  }

  async #runNext(): Promise<void> {
    const batch = this.#next();
    try {
      const results = await this.#run(batch.map(({ call }) => call));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  #next(): Waiting<Call, Result>[] {
    let bytes = 0;
    const isFull = ({ call }: Waiting<Call, Result>, index: number) => {
      bytes += this.#bytesOf(call);
      return index === MAX_CALLS || (index > 0 && bytes > MAX_BYTES);
    };
    const end = this.#waiting.findIndex(isFull);
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }
}
