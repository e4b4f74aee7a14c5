import { createContext, Script } from 'node:vm';

/** Thrown when work was stopped because its time was over. */
export class OverBudget extends Error {
  override readonly name = 'OverBudget';
}

/** Thrown when work was stopped though it hardly ran: others kept the processor busy. */
export class Starved extends Error {
  override readonly name = 'Starved';
}

/** Work that had less of the time than this share was starved. */
const FAIR_SHARE = 0.5;
const US_PER_MS = 1_000;

const context = createContext({ work: undefined });
const script = new Script('work()');

/**
 * Runs synchronous work and stops it, wherever it is, when the time is over; blocks its
 * own thread until then.
 */
export function withTimeBudget<T>(work: () => T, ms: number): T {
  const before = process.threadCpuUsage();
  context.work = work;
  try {
    return script.runInContext(context, { timeout: ms });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    const { user, system } = process.threadCpuUsage(before);
    throw user + system < ms * US_PER_MS * FAIR_SHARE ? new Starved() : new OverBudget();
  } finally {
    context.work = undefined;
  }
}
