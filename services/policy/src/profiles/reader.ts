import { extname } from 'node:path';
import type { Piscina } from 'piscina';
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
  let pool: ReturnType<typeof createPool> | undefined;
  const read = async (task: ReadTask): Promise<Reading> => {
    pool ??= createPool();
    const signal = AbortSignal.timeout(MAX_READ_MS);
    try {
      return await (await pool).run(task, { signal });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (!signal.aborted && code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
      const most = `${MAX_READ_MS} ms or ${MAX_HEAP_MIB} MiB`;
      throw new Error(`${task.path}: takes more than ${most} to read; make it simpler`);
    }
  };
  return { read, close: async () => (await pool)?.destroy() };
}

async function createPool(): Promise<Piscina<ReadTask, Reading>> {
  // Services whose profile never changes need none of its 7 MB.
  const { Piscina } = await import('piscina');
  return new Piscina({
    filename: new URL(`./read-worker${extname(import.meta.url)}`, import.meta.url).href,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_THREAD_MS,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB, maxYoungGenerationSizeMb: 16 },
  });
}
