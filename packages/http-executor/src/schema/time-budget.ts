import { createContext, Script } from 'node:vm';

/** Thrown when work was stopped because its time was over. */
export class OverBudget extends Error {
  override readonly name = 'OverBudget';
}

const context = createContext({ work: undefined });
const script = new Script('work()');

/** Runs synchronous work and stops it, wherever it is, when the time is over; blocks its own thread until then. */
export function withTimeBudget<T>(work: () => T, ms: number): T {
  context.work = work;
  try {
    return script.runInContext(context, { timeout: ms });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw new OverBudget();
    throw error;
  } finally {
    context.work = undefined;
  }
}
