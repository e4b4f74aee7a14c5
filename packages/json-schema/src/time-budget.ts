import { createContext, Script } from 'node:vm';

/** Milliseconds of processor time for compiling a schema. Checking a body gets the same time. */
export const SCHEMA_BUDGET_MS = 500;

/** Thrown if work has used up its processor time. */
export class OverBudget extends Error {}

/** Thrown if the machine was so busy that work was stopped before it got all its processor time. */
export class Starved extends Error {}

/** Returns why the work was too complex, or undefined for any other error. */
export function complexityOf(error: unknown): string | undefined {
  if (error instanceof OverBudget) return 'checking it takes longer than allowed';
  return error instanceof RangeError ? 'it is too complex' : undefined;
}

/** Wall-clock time that the first try may take, as a multiple of its budget of processor time. */
const SLACK = 1.25;
/** Number of tries on a busy machine. Each try has twice the wall-clock time of the one before. */
export const FULL_TRIES = 3;
const US_PER_MS = 1_000;

/**
 * Milliseconds of processor time for some work, and how many times to try the work if the machine
 * is busy.
 */
export interface Budget {
  readonly ms: number;
  readonly tries: number;
}

/** Runs synchronous work on this thread, and stops it when its processor time is used up. */
export class TimeBudget {
  readonly #context = createContext();
  readonly #script = new Script('work()');

  /**
   * Runs work up to `tries` times, if a busy machine gives it too little time. The work must be
   * safe to restart.
   * @throws {OverBudget} if the work needs more processor time than `ms`
   * @throws {Starved} if the machine was too busy to give the work its processor time
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
