import { Piscina, transferableSymbol, valueSymbol } from 'piscina';
import { Cancelled } from './errors.ts';

/** An idle thread takes 40 MB. */
const IDLE_MS = 30_000;

/** Stops a task that its budgets did not, such as one that waits in a long queue. */
const BACKSTOP_MS = 10_000;
const MAX_QUEUE = 256;

/** Why a task has no result; `beyond limits`: it needs more time or memory than allowed. */
export type NoResult = 'busy' | 'beyond limits';

/**
 * A thread for tasks that would hold up requests, done one after the other by the default
 * export of a module. `run` rejects with `Cancelled` when the caller has gone away.
 */
export function createThread<Task, Result>(module: URL, heapMb: number) {
  const pool = new Piscina<Task, Result>({
    filename: module.href,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MS,
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 16 },
  });
  return {
    run: async (task: Task, caller?: AbortSignal): Promise<Result | NoResult> => {
      // piscina 5 does not hold to its own `maxQueue`.
      if (pool.queueSize >= MAX_QUEUE) return 'busy';
      const backstop = AbortSignal.timeout(BACKSTOP_MS);
      const signal = caller === undefined ? backstop : AbortSignal.any([caller, backstop]);
      try {
        return await pool.run(task, { signal });
      } catch {
        if (caller?.aborted) throw new Cancelled();
        return backstop.aborted ? 'busy' : 'beyond limits';
      }
    },
    close: () => pool.destroy(),
  };
}

/** Smaller blocks may be shared with others, and are faster to copy than to transfer. */
const MIN_TRANSFERRED_BYTES = 256 * 1024;

/** A message that hands its bytes over to the other thread; they are gone from this one. */
export function transferring<T extends object>(message: T, bytes: Uint8Array): T {
  if (bytes.length < MIN_TRANSFERRED_BYTES) return message;
  return Piscina.move({ [transferableSymbol]: bytes.buffer, [valueSymbol]: message }) as T;
}
