import { StoreUnavailable } from '@gatehouse/http-executor';
import pg from 'pg';
import { CREATE_TABLES, TABLES_EXIST } from './postgres-sql.ts';
import type { Report } from './store.ts';

type Statement = readonly [text: string, values: readonly unknown[]];

/** The server gives up first, so that a statement rarely succeeds after its caller got a 503. */
const TIMEOUTS = {
  connectionTimeoutMillis: 3_000,
  statement_timeout: 4_000,
  lock_timeout: 4_000,
  idle_in_transaction_session_timeout: 4_000,
  query_timeout: 5_000,
};

const MAX_CONNECTIONS = 16;

/** Connections to a PostgreSQL database. All methods throw `StoreUnavailable`. */
export class Connections {
  readonly #pool: pg.Pool;
  readonly #report: Report;
  #tables: Promise<void> | undefined;

  constructor(url: string, report: Report) {
    this.#report = report;
    const application_name = 'gatehouse-executor';
    this.#pool = new pg.Pool({
      ...{ connectionString: url, application_name, max: MAX_CONNECTIONS, keepAlive: true },
      ...TIMEOUTS,
    });
    // Without a listener, the error of an idle connection would end the process.
    this.#pool.on('error', () => {});
  }

  query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#reported(async () => (await this.#pool.query<Row>(text, [...values])).rows);
  }

  /**
   * Runs statements in one transaction, until one of them returns no row. Returns the position of
   * that one, after which the database is unchanged.
   */
  insertAll(statements: readonly (Statement | undefined)[]): Promise<number | undefined> {
    return this.#reported(async () => {
      const client = await this.#pool.connect();
      try {
        const failed = await insertAll(client, statements);
        client.release();
        return failed;
      } catch (error) {
        // The connection may be within a transaction, so close it.
        client.release(true);
        throw error;
      }
    });
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  async #reported<T>(work: () => Promise<T>): Promise<T> {
    try {
      this.#tables ??= this.#createTables();
      await this.#tables;
      const result = await work();
      this.#report(undefined);
      return result;
    } catch (error) {
      this.#report(reasonOf(error));
      throw new StoreUnavailable();
    }
  }

  async #createTables(): Promise<void> {
    try {
      const { rows } = await this.#pool.query<{ exist: boolean }>(TABLES_EXIST);
      if (rows[0]?.exist !== true) await this.#pool.query(CREATE_TABLES);
    } catch (error) {
      this.#tables = undefined;
      throw error;
    }
  }
}

async function insertAll(
  client: pg.PoolClient,
  statements: readonly (Statement | undefined)[],
): Promise<number | undefined> {
  // A single statement is a transaction by itself.
  const isTransaction = statements.filter(Boolean).length > 1;
  if (isTransaction) await client.query('BEGIN');
  for (const [index, statement] of statements.entries()) {
    if (statement === undefined) continue;
    const [text, values] = statement;
    const { rowCount } = await client.query(text, [...values]);
    if (rowCount !== 0) continue;

    if (isTransaction) await client.query('ROLLBACK');
    return index;
  }
  if (isTransaction) await client.query('COMMIT');
  return undefined;
}

/** Returns the message of an error. The messages of `pg` never contain the password. */
function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return message || code || 'unknown';
}
