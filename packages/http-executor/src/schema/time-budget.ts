import { createContext, Script } from 'node:vm';

/** Compiling a schema, and checking a body, may take this long each. */
export const SCHEMA_BUDGET_MS = 500;

/** Work was stopped because its time was over. */
export class OverBudget extends Error {
  override readonly name = 'OverBudget';
}

/** Work was stopped though it hardly ran: others kept the processor busy. */
export class Starved extends Error {
  override readonly name = 'Starved';
}

/** Work that had less of the processor than this share was starved. */
const FAIR_SHARE = 0.5;
const US_PER_MS = 1_000;

/** Stops synchronous work when its time is over; blocks its own thread until then. */
export class TimeBudget {
  readonly #context = createContext({ work: undefined });
  readonly #script = new Script('work()');

  /**
   * @throws {OverBudget} when the work takes longer.
   * @throws {Starved} when it had too little of the processor to tell.
   */
  run<T>(work: () => T, ms = SCHEMA_BUDGET_MS): T {
    const before = process.threadCpuUsage();
    this.#context.work = work;
    try {
      return this.#script.runInContext(this.#context, { timeout: ms });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      const { user, system } = process.threadCpuUsage(before);
      throw user + system < ms * US_PER_MS * FAIR_SHARE ? new Starved() : new OverBudget();
    } finally {
      this.#context.work = undefined;
    }
  }
}
