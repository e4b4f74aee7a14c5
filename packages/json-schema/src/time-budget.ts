import { createContext, Script } from 'node:vm';

/** Processor time in milliseconds for compiling a schema, and again for checking a body. */
export const SCHEMA_BUDGET_MS = 500;

/** Thrown if the work has used all its processor time. */
export class OverBudget extends Error {}

/** Thrown if the machine was too busy to give the work its processor time. */
export class Starved extends Error {}

/** Returns the reason if the error means that a schema or body is too complex to check. */
export function complexityOf(error: unknown): string | undefined {
  if (error instanceof OverBudget) return 'checking it takes longer than allowed';
  return error instanceof RangeError ? 'it is too complex' : undefined;
}

/** Wall-clock time of the first try, as a multiple of its processor time. */
const SLACK = 1.25;
/** Number of tries on a busy machine. Each try may take twice as long as the one before. */
export const FULL_TRIES = 3;

export interface Budget {
  /** Processor time in milliseconds. */
  readonly ms: number;
  /** How many times to try the work if the machine is busy. */
  readonly tries: number;
}

/** Runs synchronous work, and stops the work when its processor time is used up. */
export class TimeBudget {
  readonly #context = createContext();
  readonly #script = new Script('work()');

  /**
   * Runs the work, and restarts the work if a busy machine gives it too little time. Running the
   * work again must be safe.
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

  #runFor<T>(work: () => T, timeout: number): T {
    this.#context.work = work;
    try {
      return this.#script.runInContext(this.#context, { timeout });
    } finally {
      this.#context.work = undefined;
    }
  }
}
