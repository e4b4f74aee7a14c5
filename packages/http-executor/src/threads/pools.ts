import { availableParallelism } from 'node:os';
import { type Budget, FULL_TRIES } from '@gatehouse/json-schema';
import { Piscina } from 'piscina';
import { systemClock } from '../clock.ts';
import { DeadlineExceeded, withDeadline } from '../deadline.ts';

/**
 * Why a task has no result. `busy`: its turn did not come in time, and the task is not to
 * blame. `beyond limits`: it needs more time or memory than a task may have.
 */
export type Unfinished = 'busy' | 'beyond limits';

export const isUnfinished = (result: unknown): result is Unfinished => typeof result === 'string';

/** What a thread gets. */
export interface Job<Task> {
  readonly task: Task;
  /** For each step of the task. */
  readonly budget: Budget;
  /** When nobody waits for the result any more, in milliseconds since the epoch. */
  readonly expires: number;
}

export interface RunOptions {
  /** Milliseconds on the quick thread; 0 skips it. */
  readonly sliceMs: number;
  /** Milliseconds on a slow thread. */
  readonly budgetMs: number;
  /** Tasks that may wait; one more is `busy` at once. */
  readonly maxWaiting?: number;
}

/** Runs tasks by functions that a module exports by name; their results are objects. */
export interface Threads {
  run<Result extends object>(
    name: string,
    task: unknown,
    options: RunOptions,
  ): Promise<Result | Unfinished>;
  close(): Promise<void>;
}

/** How long a task may wait for a thread and run on it, in milliseconds. */
const MAX_WAIT_MS = 10_000;

/** A second try helps a quick task on a busy machine. More would delay the tasks behind it. */
const SLICE_TRIES = 2;

/** An idle thread takes 40 MB. */
const SLOW_IDLE_MS = 10_000;

const NEVER = new AbortController().signal;

/**
 * Threads in two classes, as in a multilevel feedback queue. Each task gets a short slice on
 * the quick thread, which is always warm. A task that needs more starts again on a slow
 * thread. A flood of slow tasks therefore delays only other slow tasks, while an ordinary
 * task waits for the slices ahead of it.
 */
export function createThreads(module: URL, heapMb: number): Threads {
  const poolOf = (minThreads: number, maxThreads: number) => {
    const pool = new Piscina({
      filename: module.href,
      minThreads,
      maxThreads,
      idleTimeout: SLOW_IDLE_MS,
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 16 },
    });
    // A task's own failure rejects `run`. Anything else, such as a result that arrives while the
    // pool is closed, would end the process if it had no listener.
    return pool.on('error', () => {});
  };
  const quick = poolOf(1, 1);
  const slow = poolOf(0, availableParallelism() > 2 ? 2 : 1);
  return {
    run: async <Result>(name: string, task: unknown, options: RunOptions) => {
      const { sliceMs, budgetMs, maxWaiting = Number.POSITIVE_INFINITY } = options;
      if (Math.max(quick.queueSize, slow.queueSize) >= maxWaiting) return 'busy';
      const expires = Date.now() + MAX_WAIT_MS;
      if (sliceMs > 0) {
        const budget = { ms: sliceMs, tries: SLICE_TRIES };
        const result = await runOn<Result>(quick, name, { task, budget, expires });
        if (!isUnfinished(result)) return result;
      }
      const budget = { ms: budgetMs, tries: FULL_TRIES };
      return runOn<Result>(slow, name, { task, budget, expires });
    },
    close: async () => {
      await Promise.all([quick.destroy(), slow.destroy()]);
    },
  };
}

/** A thread that dies, for example of a body that needs too much memory, rejects its task. */
async function runOn<Result>(
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
