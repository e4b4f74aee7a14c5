import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  findProgram,
  freePort,
  POSTGRES_BIN,
  type Postgres,
  shared,
  startPostgres,
  startProcess,
} from '@gatehouse/testing';
import { describe, it, onTestFinished } from 'vitest';
import { openPostgresStore } from '../../src/store/postgres-store.ts';
import { LAWS } from '../support/store-laws.ts';

const PGBOUNCER = findProgram('pgbouncer');
if (PGBOUNCER === undefined)
  console.warn('LEFT OUT: a store behind PgBouncer; `apt-get install pgbouncer`.');

const DAY_MS = 86_400_000;

/** Starts PgBouncer, with its defaults, in front of a database. Returns the store's URL. */
async function startPgBouncer(postgres: string): Promise<string> {
  const { port: databasePort } = new URL(postgres);
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-pgbouncer-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [config, users] = [join(folder, 'pgbouncer.ini'), join(folder, 'users.txt')];
  await writeFile(users, '"postgres" ""\n');
  await writeFile(
    config,
    `[databases]
postgres = host=127.0.0.1 port=${databasePort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}`,
  );
  // PgBouncer refuses to run as root.
  await chmod(folder, 0o755);
  const asUser = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
  const pgbouncer = startProcess(PGBOUNCER ?? '', { args: [...asUser, config] });
  onTestFinished(() => pgbouncer[Symbol.asyncDispose]());
  await pgbouncer.printed(/process up/, 'stderr');
  return `postgres://postgres@127.0.0.1:${port}/postgres`;
}

describe.skipIf(POSTGRES_BIN === undefined || PGBOUNCER === undefined)('behind PgBouncer', () => {
  const postgres = shared<Postgres>(startPostgres);

  it('a store does the same', async () => {
    const url = await startPgBouncer(postgres().url);
    const store = openPostgresStore(url, DAY_MS, () => {});
    for (const [, law] of LAWS) await law(store);
    await store.close();
  });
});
