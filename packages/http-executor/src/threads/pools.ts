import { availableParallelism } from 'node:os';
import { type Budget, FULL_TRIES } from '@gatehouse/json-schema';
import { Piscina } from 'piscina';
import { systemClock } from '../clock.ts';
import { DeadlineExceeded, withDeadline } from '../deadline.ts';

/**
 * The reason why a task has no result. `busy`: no thread was free in time. `beyond limits`: the
 * task needs too much time or memory.
 */
export type Unfinished = 'busy' | 'beyond limits';

export const isUnfinished = (result: unknown): result is Unfinished => typeof result === 'string';

export interface Job<Task> {
  readonly task: Task;
  readonly budget: Budget;
  /** Milliseconds since the epoch; after that, no one waits for the result. */
  readonly expires: number;
}

interface RunOptions {
  /** Milliseconds on the quick thread; 0 skips that thread. */
  readonly sliceMs: number;
  readonly budgetMs: number;
  /** Number of tasks that may wait; further ones are `busy` at once. */
  readonly maxWaiting?: number;
}

interface Threads {
  run<Result extends object>(
    name: string,
    task: unknown,
    options: RunOptions,
  ): Promise<Result | Unfinished>;
  close(): Promise<void>;
}

/** Limit of the time that a task waits and runs. */
const MAX_TASK_MS = 10_000;

/** A second try helps a quick task on a busy machine. More tries would delay other tasks. */
const SLICE_TRIES = 2;

/** Slow threads end when idle, because each needs 40 MB. */
const SLOW_IDLE_MS = 10_000;

const NEVER = new AbortController().signal;

/**
 * Creates two classes of threads, as in a multilevel feedback queue. Each task gets a short slice
 * on the quick thread, which is always running. A task that needs more time starts again on a slow
 * thread, so that slow tasks delay quick ones by at most their slices.
 */
export function createThreads(module: URL, heapMb: number): Threads {
  const createPool = (minThreads: number, maxThreads: number) => {
    const pool = new Piscina({
      filename: module.href,
      minThreads,
      maxThreads,
      idleTimeout: SLOW_IDLE_MS,
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 6 },
    });
    // Failures of tasks reject `run`. Without a listener, other errors, such as a result that
    // arrives while the pool closes, would end the process.
    return pool.on('error', () => {});
  };
  const quick = createPool(1, 1);
  const slow = createPool(0, availableParallelism() > 2 ? 2 : 1);
  return {
    run: async <Result>(name: string, task: unknown, options: RunOptions) => {
      const { sliceMs, budgetMs, maxWaiting = Number.POSITIVE_INFINITY } = options;
      if (Math.max(quick.queueSize, slow.queueSize) >= maxWaiting) return 'busy';
      const expires = Date.now() + MAX_TASK_MS;
      if (sliceMs > 0) {
        const budget = { ms: sliceMs, tries: SLICE_TRIES };
        const result = await runOnPool<Result>(quick, name, { task, budget, expires });
        if (!isUnfinished(result)) return result;
      }
      const budget = { ms: budgetMs, tries: FULL_TRIES };
      return runOnPool<Result>(slow, name, { task, budget, expires });
    },
    close: async () => {
      await Promise.all([quick.destroy(), slow.destroy()]);
    },
  };
}

/** A task also rejects when its thread dies, for example because a body needs too much memory. */
async function runOnPool<Result>(
  pool: Piscina,
  name: string,
  job: Job<unknown>,
): Promise<Result | Unfinished> {
  const ms = job.expires - Date.now();
  try {
    const run = () => pool.run(job, { name });
    return await withDeadline(run, { clock: systemClock, ms, caller: NEVER });
  } catch (error) {
    return error instanceof DeadlineExceeded ? 'busy' : 'beyond limits';
  }
}
