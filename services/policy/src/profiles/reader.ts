import { extname } from 'node:path';
import type { Reading, ReadTask } from './read-worker.ts';

/** Far more than a file takes that a person wrote, on a machine that is busy, too. */
const MAX_READ_MS = 60_000;
const MAX_HEAP_MIB = 64;

/** Files that change in a row share a thread; an idle one takes 40 MB. */
const IDLE_THREAD_MS = 5_000;

export interface ProfileReader {
  /** Rejects with an error whose message says what is wrong with the file, and where. */
  readonly read: (task: ReadTask) => Promise<Reading>;
  readonly close: () => Promise<void>;
}

/** Reads profile files in a thread, so that none holds up requests. */
export function createProfileReader(): ProfileReader {
  let opened: ReturnType<typeof openPool> | undefined;
  const read = async (task: ReadTask): Promise<Reading> => {
    opened ??= openPool();
    const { pool, failed } = await opened;
    const late = AbortSignal.timeout(MAX_READ_MS);
    try {
      return await pool.run(task, { signal: AbortSignal.any([failed, late]) });
    } catch (error) {
      if (failed.aborted) opened = undefined;
      throw explained(failed.aborted ? failed.reason : error, late.aborted, task.path);
    }
  };
  return { read, close: async () => (await opened)?.pool.destroy() };
}

async function openPool() {
  // Services whose profile never changes need none of its 7 MB.
  const { Piscina } = await import('piscina');
  const pool = new Piscina<ReadTask, Reading>({
    filename: new URL(`./read-worker${extname(import.meta.url)}`, import.meta.url).href,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_THREAD_MS,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB, maxYoungGenerationSizeMb: 16 },
  });
  const failure = new AbortController();
  // A thread that cannot start: the pool would try no other, and end the process.
  pool.on('error', (error) => failure.abort(error));
  return { pool, failed: failure.signal };
}

function explained(error: Error & { code?: string }, late: boolean, path: string): Error {
  if (!late && error.code !== 'ERR_WORKER_OUT_OF_MEMORY') return error;
  const most = `${MAX_READ_MS} ms or ${MAX_HEAP_MIB} MiB`;
  return new Error(`${path}: takes more than ${most} to read; make it simpler`);
}
