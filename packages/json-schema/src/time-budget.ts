import { createContext, Script } from 'node:vm';

/** CPU time limit in milliseconds for each step, such as compiling a schema or checking a body. */
export const SCHEMA_BUDGET_MS = 500;

/** Thrown if a check or a compilation has used up its CPU time. */
export class OverBudget extends Error {}

/** Thrown if a busy machine did not give a check or a compilation enough CPU time. */
export class Starved extends Error {}

/** Message for a `RangeError`: a schema or body is nested so deeply that the stack overflows. */
export const TOO_COMPLEX = 'it is too complex';

/** Wall-clock timeout of the first try, as a multiple of the CPU time limit. */
const SLACK = 1.25;
/** Maximum number of times to run a check. Each run has twice the timeout of the previous one. */
export const FULL_TRIES = 3;

export interface Budget {
  readonly ms: number;
  /** Maximum number of runs. A run is repeated only if a busy machine starved it of CPU time. */
  readonly tries: number;
}

/** Runs synchronous functions, and stops a function that exceeds its CPU time limit. */
export class TimeBudget {
  readonly #context = createContext();
  readonly #script = new Script('work()');

  /**
   * Returns the result of `work`. Repeats a call that got too little CPU time on a busy machine, so
   * `work` must be safe to call more than once.
   * @throws {OverBudget | Starved}
   */
  run<T>(work: () => T, { ms, tries }: Budget): T {
    for (let attempt = 0; attempt < tries; attempt++) {
      const before = process.threadCpuUsage();
      try {
        return this.#runFor(work, Math.ceil(ms * SLACK * 2 ** attempt));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      }
      const { user, system } = process.threadCpuUsage(before);
      if (user + system >= ms * 1_000) throw new OverBudget();
    }
    throw new Starved();
  }

  /** Calls `work` in a `vm` script, because only a script can have a timeout. */
  #runFor<T>(work: () => T, timeout: number): T {
    this.#context.work = work;
    try {
      return this.#script.runInContext(this.#context, { timeout });
    } finally {
      this.#context.work = undefined;
    }
  }
}
