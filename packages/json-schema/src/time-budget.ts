import { createContext, Script } from 'node:vm';

/** Processor time that compiling a schema, and checking a body, may take each, in ms. */
export const SCHEMA_BUDGET_MS = 500;

/** Work was stopped because its time was over. */
export class OverBudget extends Error {}

/** Work was stopped though it hardly ran: others kept the processor busy. */
export class Starved extends Error {}

/** Why work came to no end, if it was too much. */
export function complexityOf(error: unknown): string | undefined {
  if (error instanceof OverBudget) return 'it takes longer than its time budget';
  return error instanceof RangeError ? 'it is too complex' : undefined;
}

/** An idle machine grants the budget in this many times its length. */
const SLACK = 1.25;
/** On a busy one, work is begun anew with twice the time, so often. */
export const FULL_TRIES = 3;
const US_PER_MS = 1_000;

/** Processor time in milliseconds, and how often work is begun to grant it. */
export interface Budget {
  readonly ms: number;
  readonly tries: number;
}

/** Stops synchronous work once it has had its processor time; blocks its thread until then. */
export class TimeBudget {
  readonly #context = createContext();
  readonly #script = new Script('work()');

  /**
   * Runs work that can be begun anew, at most `tries` times.
   * @throws {OverBudget} when the work takes longer.
   * @throws {Starved} when others left it too little of the processor to tell.
   */
  run<T>(work: () => T, { ms, tries }: Budget): T {
    for (let attempt = 0; attempt < tries; attempt++) {
      const before = process.threadCpuUsage();
      const result = this.#runFor(work, ms * SLACK * 2 ** attempt);
      if (result !== STOPPED) return result;
      const { user, system } = process.threadCpuUsage(before);
      if (user + system >= ms * US_PER_MS) throw new OverBudget();
    }
    throw new Starved();
  }

  #runFor<T>(work: () => T, timeout: number): T | typeof STOPPED {
    this.#context.work = work;
    try {
      return this.#script.runInContext(this.#context, { timeout: Math.ceil(timeout) });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      return STOPPED;
    } finally {
      this.#context.work = undefined;
    }
  }
}

const STOPPED = Symbol('stopped');
