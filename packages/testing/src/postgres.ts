import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './port.ts';

const run = promisify(execFile);

/** Folder of PostgreSQL's programs, or undefined if it is not installed. */
export const POSTGRES_BIN = globSync('/usr/lib/postgresql/*/bin').sort().at(-1);

export interface Postgres extends AsyncDisposable {
  readonly url: string;
  start(): Promise<void>;
  /** Stops the server. `immediate` ends it as a crash would. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
  /** Runs statements in one session of an administrator. Returns the output without headings. */
  sql(...statements: string[]): Promise<string>;
}

/** Starts a PostgreSQL server with an empty database on a free loopback port. */
export async function startPostgres(bin = POSTGRES_BIN ?? ''): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-postgres-'));
  const port = await freePort();
  // PostgreSQL refuses to run as root, so run it as the user of the Debian package.
  const isRoot = process.getuid?.() === 0;
  const ids = isRoot ? await idsOf('postgres') : undefined;
  if (ids !== undefined) await chown(folder, ids.uid, ids.gid);
  const tool = async (name: string, ...args: string[]) =>
    (await run(join(bin, name), args, { ...ids, cwd: folder })).stdout;

  const data = join(folder, 'data');
  await tool('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8');
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -k ${folder}`;
  const control = (...args: string[]) => tool('pg_ctl', '-D', data, '-w', ...args);
  const start = async () => {
    await control('-o', options, '-l', join(folder, 'log'), 'start');
  };
  await start();
  const address = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres'];
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    start,
    stop: async (mode = 'fast') => {
      await control('stop', '-m', mode);
    },
    sql: async (...statements) => {
      const commands = statements.flatMap((text) => ['-c', text]);
      return (await tool('psql', ...address, '-At', ...commands)).trim();
    },
    [Symbol.asyncDispose]: async () => {
      await control('stop', '-m', 'immediate').catch(() => {});
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function idsOf(user: string): Promise<{ uid: number; gid: number }> {
  const id = async (flag: string) => Number((await run('id', [flag, user])).stdout);
  return { uid: await id('-u'), gid: await id('-g') };
}
