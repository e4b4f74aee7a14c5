import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { POSTGRES_BIN, type Postgres, startPostgres } from '@gatehouse/testing';
import { afterAll, expect, it } from 'vitest';
import { Ledger } from './support/ledger.ts';
import { type Replica, startReplica } from './support/replica.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'));
afterAll(() => rmSync(folder, { recursive: true }));

const CONCURRENCY = 24;
const MAX_PAUSE_MS = 20;
const pause = () => delay(Math.random() * MAX_PAUSE_MS);

interface Load {
  readonly ledger: Ledger;
  readonly upstream: string;
  readonly executors: readonly string[];
}

/** Sends each key until there is a final answer, mostly to a different replica each time. */
async function sendAll(keys: readonly string[], { ledger, upstream, executors }: Load) {
  const left = keys.entries();
  const work = async () => {
    for (const [index, key] of left)
      for (let turn = index; !(await ledger.ask(at(executors, turn), upstream, key)); turn += 1)
        await pause();
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}

const at = (urls: readonly string[], index: number): string => urls[index % urls.length] ?? '';

/** Repeats faults until the work is done. */
async function withFaults(work: Promise<void>, faults: readonly (() => Promise<void>)[]) {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  for (let turn = 0; !isDone; turn += 1) {
    await faults[turn % faults.length]?.();
    await Promise.race([done, delay(50 + Math.random() * 300)]);
  }
  await done;
}

const keysOf = (count: number) => Array.from({ length: count }, (_, index) => `key-${index}`);

it('with SQLite, 1,000 keys have at most one effect each while the executor is killed', async () => {
  const ledger = new Ledger(true);
  await using upstream = await ledger.startUpstream();
  await using replica = await startReplica(`sqlite:${join(folder, 'effects.db')}`);
  const keys = keysOf(1_000);
  const load = { ledger, upstream: upstream.origin, executors: [replica.url] };
  await withFaults(sendAll(keys, load), [() => replica.crash()]);
  const sent = upstream.requests.length;
  await sendAll(keys, load);
  await replica.crash();
  await sendAll(keys, load);
  expect(ledger.violations).toEqual([]);
  expect(upstream.requests).toHaveLength(sent);
  expect(ledger.answers).toMatchObject({
    success: expect.any(Number),
    ConnectFailure: expect.any(Number),
    OutcomeUnknown: expect.any(Number),
    'no answer': expect.any(Number),
  });
});

/** Makes the tables unusable for as long as a slow disk or a long lock would. */
const block = (postgres: Postgres, seconds: number) =>
  postgres.sql(
    'SET lock_timeout = 0',
    `BEGIN; LOCK gatehouse_keys; SELECT pg_sleep(${seconds}); COMMIT`,
  );

/** Lets the database refuse all writes until a replica, which has just started, notices. */
async function makeReadOnly(postgres: Postgres, replica: Replica): Promise<void> {
  const set = (value: string) =>
    postgres.sql(
      'SET default_transaction_read_only = off',
      `ALTER SYSTEM SET default_transaction_read_only = ${value}`,
      'SELECT pg_reload_conf()',
    );
  await set('on');
  await replica.logged(/store unavailable/);
  await set('off');
}

it.skipIf(POSTGRES_BIN === undefined)(
  'with PostgreSQL, keys have at most one effect each while it and two replicas fail',
  async () => {
    const ledger = new Ledger(false);
    await using upstream = await ledger.startUpstream();
    await using postgres = await startPostgres();
    await using one = await startReplica(postgres.url);
    await using two = await startReplica(postgres.url);
    const load = { ledger, upstream: upstream.origin, executors: [one.url, two.url] };
    // Send every key twice at the same time, so that the replicas compete for it.
    const keys = keysOf(250).flatMap((key) => [key, key]);
    await withFaults(sendAll(keys, load), [
      () => one.crash(),
      () => makeReadOnly(postgres, one),
      async () => {
        await postgres.stop('immediate');
        await postgres.start();
      },
      () => two.crash(),
      async () => void (await block(postgres, 5)),
    ]);
    const sent = upstream.requests.length;
    await sendAll(keys, load);
    await sendAll(keys, load);
    expect(ledger.violations).toEqual([]);
    expect(upstream.requests).toHaveLength(sent);
    expect(ledger.answers).toMatchObject({
      success: expect.any(Number),
      ConnectFailure: expect.any(Number),
      OutcomeUnknown: expect.any(Number),
      KeyInProgress: expect.any(Number),
      StoreUnavailable: expect.any(Number),
    });
  },
);
