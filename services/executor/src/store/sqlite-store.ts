import { once } from 'node:events';
import { closeSync, fchmodSync, openSync } from 'node:fs';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { failure, success } from '@gatehouse/contracts';
import {
  type ClaimRefusal,
  type Claims,
  type KnownKey,
  StoreUnavailable,
} from '@gatehouse/http-executor';
import { Batches } from './batches.ts';
import { outcomeRecord } from './records.ts';
import type { Answer, Call } from './sqlite-thread.ts';
import type { Report, Store } from './store.ts';

/** The file is `sqlite-thread.ts` in the source and `sqlite-thread.mjs` in a build. */
const THREAD = new URL(`./sqlite-thread${extname(import.meta.url)}`, import.meta.url);

const PRUNE_EVERY_MS = 10_000;

const OWNER_ONLY = 0o600;

/** Opens a store in an SQLite file. @throws Error if the file cannot be used */
export async function openSqliteStore(path: string, ttlMs: number, report: Report): Promise<Store> {
  try {
    const file = openSync(path, 'a', OWNER_ONLY);
    fchmodSync(file, OWNER_ONLY);
    closeSync(file);
    // With the variables of `node --watch`, a thread would also send messages about its imports.
    const worker = new Worker(THREAD, { workerData: { path, ttlMs }, env: {} });
    await once(worker, 'message');
    return sqliteStore(new Thread(worker, report), report);
  } catch (error) {
    const { message } = error as Error;
    const isLocked = message === 'database is locked';
    throw new Error(
      isLocked
        ? `another process uses \`${path}\`; end that process, or name another file`
        : `\`${path}\`: ${message}`,
    );
  }
}

function sqliteStore(thread: Thread, report: Report): Store {
  const prune = () =>
    thread.call('prune', Date.now()).then(
      () => report(undefined),
      () => {},
    );
  const timer = setInterval(prune, PRUNE_EVERY_MS).unref();
  return {
    find: async (key) => {
      const known = await thread.call<KnownKey | undefined>('find', key, Date.now());
      return known && restoreBuffer(known);
    },
    claim: async (claims: Claims) => {
      const refusal = await thread.call<ClaimRefusal | undefined>('claim', claims, Date.now());
      if (refusal !== undefined) return { ok: false, reason: restoreBuffer(refusal) };

      const end = async (outcome?: Buffer) => {
        if (claims.key !== undefined) await thread.call('end', claims.key.id, outcome);
      };
      return success({
        isHeld: () => thread.isOpen,
        settle: (outcome) => end(outcomeRecord(outcome)),
        release: () => thread.call<void>('release', claims),
        abandon: () => end(),
      });
    },
    close: async () => {
      clearInterval(timer);
      await thread.close();
    },
  };
}

/** Turns an outcome back into the buffer that it was before it was sent from the thread. */
function restoreBuffer<T extends ClaimRefusal>(known: T): T {
  if (known.state !== 'done') return known;

  const { buffer, byteOffset, byteLength } = known.outcome.json;
  return { ...known, outcome: { json: Buffer.from(buffer, byteOffset, byteLength) } };
}

/** Thread that performs calls in batches, one after another. */
class Thread {
  readonly #worker: Worker;
  readonly #report: Report;
  readonly #batches = new Batches((calls: readonly Call[]) => this.#perform(calls));
  #lastCall: Promise<unknown> | undefined;
  #running: PromiseWithResolvers<readonly unknown[]> | undefined;
  isOpen = true;

  constructor(worker: Worker, report: Report) {
    this.#worker = worker;
    this.#report = report;
    worker.on('message', (answer: Answer) => this.#settle(answer));
    worker.on('error', ({ message }) => this.#end(message));
    worker.on('exit', () => this.#end('its thread has ended'));
  }

  /** @throws {StoreUnavailable} */
  call<T>(task: Call['task'], ...args: unknown[]): Promise<T> {
    const result = this.#batches.add({ task, args });
    this.#lastCall = result;
    return result as Promise<T>;
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.#lastCall]);
    this.isOpen = false;
    await this.#worker.terminate();
  }

  #perform(calls: readonly Call[]): Promise<readonly unknown[]> {
    if (!this.isOpen) return Promise.reject(new StoreUnavailable());

    this.#running = Promise.withResolvers();
    this.#worker.postMessage(calls);
    return this.#running.promise;
  }

  #settle(answer: Answer): void {
    if (answer.ok) {
      this.#running?.resolve(answer.value);
      return;
    }
    this.#report(answer.reason);
    this.#running?.reject(new StoreUnavailable());
  }

  #end(reason: string): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#settle(failure(reason));
  }
}
