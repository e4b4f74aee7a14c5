import { availableParallelism } from 'node:os';
import { type Budget, FULL_TRIES } from '@gatehouse/json-schema';
import { Piscina } from 'piscina';
import { DeadlineExceeded, systemClock, withDeadline } from '../clock.ts';

/**
 * Reason why a task has no result:
 * - `busy`: no thread was free in time;
 * - `beyond limits`: the task needs too much time or memory.
 */
export type Unfinished = 'busy' | 'beyond limits';

export const isUnfinished = (result: unknown): result is Unfinished => typeof result === 'string';

export interface Job<Task> {
  readonly task: Task;
  /** CPU time limit for each step that depends on a schema, such as compiling the schema. */
  readonly budget: Budget;
  /** Time at which the caller stops waiting for a result, in milliseconds since the epoch. */
  readonly expires: number;
}

interface RunOptions {
  /** True to try the quick-task thread first, false to use a slow-task thread at once. */
  readonly tryQuick: boolean;
  /** `Job.budget` in milliseconds for a task that runs on a slow-task thread. */
  readonly budgetMs: number;
  /** Queue length at which `run` returns `busy` at once, without queuing the task. */
  readonly maxWaiting?: number;
}

/** Most steps take at most 10 ms, but a step may need a second try while the machine is busy. */
export const SLICE: Budget = { ms: 25, tries: 2 };

/** Maximum total time for a task, including its time in a queue and a possible second run. */
const MAX_TASK_MS = 10_000;

/** Idle time after which a slow-task thread ends and frees its 40 MB of memory. */
const SLOW_IDLE_MS = 10_000;

/**
 * Creates one thread for quick tasks and, as needed, threads for slow tasks. The quick-task thread
 * gives each step of a task only a short time slice. If a step takes too long, the task is
 * restarted on a slow-task thread, so that quick tasks barely have to wait.
 */
export function createThreads(module: URL, heapMb: number) {
  const quick = createPool(module, heapMb, [1, 1]);
  const slow = createPool(module, heapMb, [0, availableParallelism() > 2 ? 2 : 1]);
  const closing = new AbortController();
  return {
    /**
     * Returns a result, or the reason for having none. Rejects if the task throws unexpectedly.
     * @throws {Cancelled} if the executor is closed meanwhile.
     */
    run: async <Result extends object>(
      name: string,
      task: unknown,
      options: RunOptions,
    ): Promise<Result | Unfinished> => {
      const { tryQuick, budgetMs, maxWaiting = Number.POSITIVE_INFINITY } = options;
      if (Math.max(quick.queueSize, slow.queueSize) >= maxWaiting) return 'busy';
      const expires = Date.now() + MAX_TASK_MS;
      const runOn = (pool: Piscina, budget: Budget): Promise<Result | Unfinished> =>
        inTime(() => pool.run({ task, budget, expires }, { name }), expires, closing.signal);
      const result = tryQuick ? await runOn(quick, SLICE) : undefined;
      if (result !== undefined && !isUnfinished(result)) return result;
      return runOn(slow, { ms: budgetMs, tries: FULL_TRIES });
    },
    close: async () => {
      closing.abort();
      await Promise.all([quick.destroy(), slow.destroy()]);
    },
  };
}

function createPool(module: URL, heapMb: number, [minThreads, maxThreads]: [number, number]) {
  const pool = new Piscina({
    filename: module.href,
    minThreads,
    maxThreads,
    idleTimeout: SLOW_IDLE_MS,
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 6 },
  });
  // A pool that is closing emits an `error` event for each late result. Without a listener, an
  // `error` event would end the process.
  return pool.on('error', () => {});
}

async function inTime<Result>(
  work: () => Promise<Result | Unfinished>,
  expires: number,
  closing: AbortSignal,
): Promise<Result | Unfinished> {
  const ms = expires - Date.now();
  try {
    return await withDeadline(work, { clock: systemClock, ms, caller: closing });
  } catch (error) {
    if (error instanceof DeadlineExceeded) return 'busy';
    if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY')
      return 'beyond limits';
    throw error;
  }
}
