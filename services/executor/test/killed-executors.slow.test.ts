import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  freePort,
  type GatedUpstream,
  POSTGRES_BIN,
  type Postgres,
  type RawUpstream,
  shared,
  startGatedUpstream,
  startPostgres,
  startRawUpstream,
} from '@gatehouse/testing';
import pg from 'pg';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { answerOf } from './support/ledger.ts';
import { type Replica, startReplica } from './support/replica.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** An executor, and the upstream of the one action that it is asked to carry out. */
interface Scene {
  readonly executor: Replica;
  /** Performs an effect for each request, but does not answer until it is opened. */
  readonly upstream: GatedUpstream;
  /** Accepts connections, and then stays silent. */
  readonly silent: RawUpstream;
  /** Sends the action with its key. Returns the code, error or outcome of the answer. */
  readonly ask: () => Promise<string>;
}

/** Brings an execution to a state. May return what happens once the executor is killed. */
type Reach = (scene: Scene) => Promise<undefined | (() => Promise<void>)>;

/** The answer is the one to everyone who asks later. The effects are those of the key. */
type State = readonly [
  name: string,
  reach: Reach,
  answer: 'success' | 'OutcomeUnknown',
  effects: 0 | 1,
];

const waiting: Reach = async ({ executor: { url }, upstream, ask }) => {
  void answerOf(url, `${upstream.origin}/other`, randomUUID());
  await expect.poll(() => upstream.held).toEqual(['/other']);
  void ask();
  const metrics = async () => (await fetch(`${url}/metrics`)).text();
  await expect.poll(metrics).toMatch(/^http_server_active_requests 3$/m);
  // A store performs its calls in their order. When it has claimed and freed a later key, it has
  // also answered all earlier calls.
  await answerOf(url, `http://127.0.0.1:${await freePort()}`, randomUUID());
  return undefined;
};

const connecting: Reach = async ({ silent, ask }) => {
  void ask();
  await expect.poll(() => silent.connections).toBe(1);
  return undefined;
};

const sent: Reach = async ({ upstream, ask }) => {
  void ask();
  await expect.poll(() => upstream.held).toHaveLength(1);
  return undefined;
};

const stored: Reach = async ({ upstream, ask }) => {
  upstream.open();
  void ask();
  await expect.poll(ask).toBe('success');
  return undefined;
};

const STATES: readonly State[] = [
  ['it waits for a slot', waiting, 'success', 1],
  ['it connects to the upstream', connecting, 'OutcomeUnknown', 0],
  ['the upstream has the request', sent, 'OutcomeUnknown', 1],
  ['its outcome is stored', stored, 'success', 1],
];

const TABLE_EXISTS = `SELECT to_regclass('gatehouse_keys') IS NOT NULL`;

/** How a statement ends whose client was killed while the statement waited. */
type End = 'given up' | 'committed';

/** Locks the keys until a statement waits. Returns a function that lets it end after the kill. */
async function block(postgres: Postgres, statement: string, begin: () => unknown, end: End) {
  const running = () =>
    postgres.sql(`SELECT count(*) FROM pg_stat_activity
      WHERE state = 'active' AND pid <> pg_backend_pid() AND query LIKE '%${statement}%'`);
  const client = new pg.Client(postgres.url);
  onTestFinished(() => client.end());
  await client.connect();
  await expect.poll(() => postgres.sql(TABLE_EXISTS)).toBe('t');
  await client.query('BEGIN; LOCK gatehouse_keys IN SHARE MODE');
  begin();
  await expect.poll(running).toBe('1');
  return async () => {
    if (end === 'committed') await client.query('COMMIT');
    await expect.poll(running).toBe('0');
    await client.query('COMMIT');
  };
}

/** States in which the executor waits for PostgreSQL. */
function statesOf(postgres: () => Postgres): readonly State[] {
  const claiming =
    (end: End): Reach =>
    async ({ ask }) =>
      block(postgres(), 'INSERT INTO gatehouse_keys', ask, end);
  const settling =
    (end: End): Reach =>
    async (scene) => {
      await sent(scene);
      return block(postgres(), 'SET outcome = ended.outcome', scene.upstream.open, end);
    };
  return [
    ['its claim waits for PostgreSQL and is given up', claiming('given up'), 'success', 1],
    // Nothing was sent, but no other process can know that.
    ['its claim waits for PostgreSQL and is committed', claiming('committed'), 'OutcomeUnknown', 0],
    ['its outcome waits for PostgreSQL and is given up', settling('given up'), 'OutcomeUnknown', 1],
    ['its outcome waits for PostgreSQL and is committed', settling('committed'), 'success', 1],
  ];
}

/** Makes all claims as old as if they had not been renewed for 30 s. */
const AGE = `UPDATE gatehouse_keys SET renewed_at = renewed_at - interval '30 s'`;

interface Database {
  readonly postgres: Postgres;
  /** Another executor with the same database. */
  readonly other: Replica;
}

/** Kills an executor in a state, restarts it, and asks it and another one again and again. */
async function killIn([, reach, answer, effects]: State, store: string, database?: Database) {
  await using upstream = await startGatedUpstream();
  await using silent = await startRawUpstream();
  // With one slot for each host, an execution can make another one wait.
  await using executor = await startReplica(store, { HTTP_EXECUTOR_MAX_EXECUTIONS_PER_HOST: '1' });
  const key = randomUUID();
  const origin = reach === connecting ? `https://127.0.0.1:${silent.port}` : upstream.origin;
  const ask = async ({ url } = executor) => (await answerOf(url, `${origin}/${key}`, key)).kind;
  const afterKill = await reach({ executor, upstream, silent, ask: () => ask() });
  await executor[Symbol.asyncDispose]();
  upstream.open();
  await afterKill?.();

  if (database !== undefined) {
    const isLost = answer === 'OutcomeUnknown';
    expect(await ask(database.other)).toBe(isLost ? 'KeyInProgress' : answer);
    await database.postgres.sql(AGE);
  }
  await executor.start();
  const answers = [await ask(), await ask(database?.other), await ask()];
  expect(answers).toEqual([answer, answer, answer]);
  const paths = upstream.requests.map(({ url }) => url);
  expect(paths.filter((path) => path === `/${key}`)).toHaveLength(effects);
  expect(silent.connections).toBe(reach === connecting ? 1 : 0);
}

it.each(STATES)(
  'with SQLite, a key has at most one effect if its executor is killed while %s',
  (...state) => killIn(state, `sqlite:${join(folder, `${randomUUID()}.db`)}`),
);

describe.skipIf(POSTGRES_BIN === undefined)('with PostgreSQL', () => {
  const postgres = shared(startPostgres);
  const other = shared(() => startReplica(postgres().url));
  it.each([...STATES, ...statesOf(postgres)])(
    'a key has at most one effect if its executor is killed while %s',
    (...state) => killIn(state, postgres().url, { postgres: postgres(), other: other() }),
  );
});
