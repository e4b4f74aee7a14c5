import { availableParallelism } from 'node:os';
import { type Budget, FULL_TRIES } from '@gatehouse/json-schema';
import { Piscina } from 'piscina';
import { DeadlineExceeded, type OnAbort, withDeadline } from './attempt/deadline.ts';
import { systemClock } from './clock.ts';
import { Cancelled } from './errors.ts';

/**
 * Why a task has no result. `busy`: its turn did not come in time, and the task is not to
 * blame. `beyond limits`: it needs more time or memory than a task may have.
 */
export type NoResult = 'busy' | 'beyond limits';

/** What a thread gets. */
export interface Job<Task> {
  readonly task: Task;
  /** For each step of the task. */
  readonly budget: Budget;
  /** Set to 1 when the caller no longer waits for the result. */
  readonly abandoned: Int32Array;
}

/** What a thread answers when it did not finish a task. */
export interface Stopped {
  readonly stopped: 'over budget' | 'starved' | 'abandoned';
}

export interface RunOptions {
  /** Milliseconds on the quick thread; 0 skips it. */
  readonly sliceMs: number;
  /** Milliseconds on a slow thread. */
  readonly budgetMs: number;
  readonly caller?: AbortSignal;
  /** Tasks that may wait; one more is `busy` at once. */
  readonly maxWaiting?: number;
}

/** Runs tasks by functions that a module exports by name. */
export interface Threads {
  /** @throws {Cancelled} when the caller has gone away. */
  run<Result>(name: string, task: unknown, options: RunOptions): Promise<Result | NoResult>;
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
      const { sliceMs, budgetMs, caller = NEVER, maxWaiting = Number.POSITIVE_INFINITY } = options;
      if (Math.max(quick.queueSize, slow.queueSize) >= maxWaiting) return 'busy';
      if (sliceMs > 0) {
        const slice = { ms: sliceMs, tries: SLICE_TRIES };
        const result = await runOn<Result>(quick, name, { task, budget: slice }, caller);
        if (!isStopped(result)) return result;
      }
      const budget = { ms: budgetMs, tries: FULL_TRIES };
      const result = await runOn<Result>(slow, name, { task, budget }, caller);
      if (!isStopped(result)) return result;
      return result.stopped === 'over budget' ? 'beyond limits' : 'busy';
    },
    close: async () => {
      await Promise.all([quick.destroy(), slow.destroy()]);
    },
  };
}

function isStopped(result: unknown): result is Stopped {
  return typeof result === 'object' && result !== null && 'stopped' in result;
}

/**
 * Runs a task on a pool. A thread skips a task that was abandoned meanwhile. We do not abort
 * the task, because piscina then ends its thread, and the next one takes 250 ms to start.
 */
async function runOn<Result>(
  pool: Piscina,
  name: string,
  job: Omit<Job<unknown>, 'abandoned'>,
  caller: AbortSignal,
): Promise<Result | Stopped | NoResult> {
  const abandoned = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const work = (onAbort: OnAbort): Promise<Result | Stopped> => {
    onAbort(() => Atomics.store(abandoned, 0, 1));
    return pool.run({ ...job, abandoned }, { name });
  };
  try {
    return await withDeadline(work, { clock: systemClock, ms: MAX_WAIT_MS, caller });
  } catch (error) {
    if (error instanceof Cancelled) throw error;
    return error instanceof DeadlineExceeded ? 'busy' : 'beyond limits';
  }
}
