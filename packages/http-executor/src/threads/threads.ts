import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { failure, type Result, success } from '@gatehouse/contracts';
import { Cancelled } from '../errors.ts';

/** Why a task has no result. */
export type NoResult = 'busy' | 'out of time' | 'out of memory';

export interface TaskLimits {
  /** The caller who waits for the task. All callers without a name count as one. */
  readonly caller: string | undefined;
  /** True to start before all tasks that are not urgent. */
  readonly isUrgent: boolean;
  /** Processor time of the thread. On a busy machine, five times as much time may pass. */
  readonly cpuMs: number;
  /** Time after which a task that has not started is `busy`. */
  readonly maxWaitMs: number;
  readonly signal?: AbortSignal | undefined;
}

interface Entry {
  readonly limits: TaskLimits;
  readonly admit: () => void;
}

/** Limit of processor time for compiling a schema, and for checking a body. */
export const SCHEMA_CPU_MS = 2_000;

/** Why a task has no result, by the code of its thread's error. */
const NO_RESULT: ReadonlyMap<unknown, NoResult> = new Map([
  ['ERR_WORKER_OUT_OF_MEMORY', 'out of memory'],
  // The system allows this process no more files or threads, but may later.
  ['ERR_WORKER_INIT_FAILED', 'busy'],
]);

/** The file is `worker.ts` in the source and `worker.js` in a build. */
const WORKER = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);

/**
 * Runs tasks on worker threads, first in, first out. A caller never holds the last free thread. If
 * a task exceeds a limit, its thread ends, and a new one takes its place.
 */
export class Threads {
  readonly #maxThreads: number;
  readonly #createWorker: () => Worker;
  readonly #waiting = new Set<Entry>();
  readonly #running = new Set<Entry>();
  readonly #idle: Worker[] = [];
  readonly #closing = new AbortController();

  constructor(options: { heapMb: number; maxThreads?: number; file?: URL }) {
    const { heapMb, maxThreads = Math.min(3, availableParallelism()), file = WORKER } = options;
    this.#maxThreads = Math.max(2, maxThreads);
    const resourceLimits = { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 6 };
    // With the variables of `node --watch`, a thread would also send messages about its imports.
    const settings = { resourceLimits, env: {} };
    // Without a listener, the error of a thread would end the process.
    this.#createWorker = () => new Worker(file, settings).on('error', () => {});
  }

  /** Rejects with what the task throws. @throws {Cancelled} when the signal is aborted. */
  async run<Value>(
    name: string,
    task: unknown,
    limits: TaskLimits,
  ): Promise<Result<Value, NoResult>> {
    const signals = [limits.signal, this.#closing.signal].filter((each) => each !== undefined);
    const signal = AbortSignal.any(signals);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const entry = { limits, admit: () => resolve(true) };
    const timer = setTimeout(resolve, limits.maxWaitMs, false);
    signal.addEventListener('abort', () => resolve(false));
    this.#waiting.add(entry);
    try {
      throwIfCancelled(signal);
      this.#admitNext();
      if (await promise) return await this.#perform<Value>({ name, task }, limits.cpuMs, signal);

      throwIfCancelled(signal);
      return failure('busy');
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(entry);
      this.#running.delete(entry);
      this.#admitNext();
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#idle.splice(0).map((worker) => worker.terminate()));
  }

  #admitNext(): void {
    if (this.#running.size >= this.#maxThreads) return;
    const allowed = [...this.#waiting].filter(({ limits }) => this.#mayRun(limits.caller));
    const next = allowed.find(({ limits }) => limits.isUrgent) ?? allowed[0];
    if (next === undefined) return;
    this.#waiting.delete(next);
    this.#running.add(next);
    next.admit();
  }

  #mayRun(caller: string | undefined): boolean {
    const own = [...this.#running].filter(({ limits }) => limits.caller === caller);
    return own.length < this.#maxThreads - 1;
  }

  async #perform<Value>(
    message: object,
    cpuMs: number,
    signal: AbortSignal,
  ): Promise<Result<Value, NoResult>> {
    const outOfTime = new AbortController();
    let worker: Worker | undefined;
    let timer: NodeJS.Timeout | undefined;
    try {
      worker = this.#idle.pop() ?? this.#createWorker();
      timer = limitTime(worker, cpuMs, outOfTime);
      worker.postMessage(message);
      const stopped = AbortSignal.any([signal, outOfTime.signal]);
      const [value] = await once(worker, 'message', { signal: stopped });
      this.#idle.push(worker);
      return success(value);
    } catch (error) {
      // A thread that is collecting garbage can take long to end.
      void worker?.terminate();
      throwIfCancelled(signal);
      if (outOfTime.signal.aborted) return failure('out of time');

      const reason = NO_RESULT.get((error as NodeJS.ErrnoException).code);
      if (reason === undefined) throw error;

      return failure(reason);
    } finally {
      clearInterval(timer);
    }
  }
}

function throwIfCancelled({ aborted }: AbortSignal): void {
  if (aborted) throw new Cancelled();
}

const MAX_TIMES_CPU = 5;

/** Aborts the controller when a thread has used its processor time, or after five times as long. */
function limitTime(worker: Worker, cpuMs: number, controller: AbortController): NodeJS.Timeout {
  const start = performance.now();
  const before = cpuMsOf(worker);
  return setInterval(async () => {
    if (performance.now() - start >= MAX_TIMES_CPU * cpuMs) controller.abort();
    if ((await cpuMsOf(worker)) - (await before) >= cpuMs) controller.abort();
  }, cpuMs / 4);
}

/** Returns the processor time of a thread, or 0 before Node 24, which cannot tell. */
async function cpuMsOf(worker: Worker): Promise<number> {
  const usage = await worker.cpuUsage?.().catch(() => undefined);
  return usage === undefined ? 0 : (usage.user + usage.system) / 1_000;
}
