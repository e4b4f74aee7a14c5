import { randomUUID } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { openStore, storeLocation } from '@gatehouse/executor-service/store';
import { createLogger } from '@gatehouse/service';
import pg from 'pg';
import { DOCUMENTS } from './documents.ts';
import type { Row } from './insert-thread.ts';

// Repeats an operation on a store in concurrent loops, whenever the parent process asks for it.
// `insert` inserts a row of the size of a settled key in a transaction of its own, `grouped` shares
// a transaction among concurrent inserts, and `store` finds, claims and settles a new key.
export type StoreSide = 'insert' | 'grouped' | 'store';

export interface Loops {
  readonly side: StoreSide;
  readonly concurrency: number;
  readonly seconds: number;
}

export interface Figures {
  readonly perSecond: number;
  /** Processor time of this process for each operation, with its threads. */
  readonly cpuMicroseconds: number;
}

/** Like the connections of a pool in a service that inserts rows. */
const CONNECTIONS = 16;
const TTL_S = 86_400;
const TTL_MS = TTL_S * 1_000;

const answer = { outcome: 'success', status: 200, headers: { 'content-type': 'application/json' } };
const body = JSON.parse(DOCUMENTS['/order'] ?? '');
const OUTCOME = Buffer.from(JSON.stringify({ ...answer, body, attempts: 1, history: [] }));

function newKey() {
  const id = `${randomUUID()}-${'x'.repeat(6)}`;
  return { id, action: id, caller: 'planner' };
}

async function sidesOf(
  setting: string,
): Promise<Partial<Record<StoreSide, () => Promise<unknown>>>> {
  const location = storeLocation(setting);
  const { store } = await openStore(location, TTL_S, createLogger('executor', 'silent'));
  await store.find(newKey());
  const inserts = 'url' in location ? postgresInserts(location.url) : sqliteInserts(location.path);
  return { ...(await inserts), store: () => findClaimAndSettle(store) };
}

type Store = Awaited<ReturnType<typeof openStore>>['store'];

async function findClaimAndSettle(store: Store): Promise<void> {
  const key = newKey();
  if ((await store.find(key)) !== undefined) throw new Error('The store knows a new key.');
  const claim = await store.claim({ key, token: undefined, approval: undefined });
  if (!claim.ok) throw new Error(claim.reason.state);
  await claim.value.settle({ json: OUTCOME });
}

async function postgresInserts(url: string) {
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS });
  await pool.query(
    `DROP TABLE IF EXISTS plain; CREATE TABLE plain (LIKE gatehouse_keys INCLUDING ALL)`,
  );
  const text = `INSERT INTO plain VALUES ($1, $2, $3, $4, 'done', $5, now(), now(), $6)`;
  const insert = () => {
    const { id, action, caller } = newKey();
    const expiry = new Date(Date.now() + TTL_MS);
    return pool.query(text, [id, action, caller, randomUUID(), OUTCOME, expiry]);
  };
  return { insert };
}

async function sqliteInserts(path: string) {
  const start = (isGrouped: boolean) => {
    const workerData = { path: `${path}-${isGrouped}`, isGrouped };
    const worker = new Worker(new URL('insert-thread.ts', import.meta.url), { workerData });
    const waiting: (() => void)[] = [];
    worker.on('message', (count: number) => {
      for (const done of waiting.splice(0, count)) done();
    });
    return () => {
      const { id, action, caller } = newKey();
      const now = Date.now();
      worker.postMessage([id, action, caller, 'done', OUTCOME, now, now + TTL_MS] satisfies Row);
      return new Promise<void>((resolve) => waiting.push(resolve));
    };
  };
  return { insert: start(false), grouped: start(true) };
}

const sides = await sidesOf(process.argv[2] ?? '');

process.on('message', async ({ side, concurrency, seconds }: Loops) => {
  const run = sides[side];
  if (run === undefined) throw new Error(`${side} is for SQLite only.`);
  const began = performance.now();
  const cpu = process.cpuUsage();
  let count = 0;
  const loop = async () => {
    for (; performance.now() - began < seconds * 1_000; count += 1) await run();
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  const perSecond = (count * 1_000) / (performance.now() - began);
  const { user, system } = process.cpuUsage(cpu);
  process.send?.({ perSecond, cpuMicroseconds: (user + system) / count } satisfies Figures);
});
process.send?.('ready');
