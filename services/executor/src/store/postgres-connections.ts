import { StoreUnavailable } from '@gatehouse/http-executor';
import pg from 'pg';
import { CREATE_TABLES, type Statement, TABLES_EXIST } from './postgres-sql.ts';
import type { Report } from './store.ts';

/** Runs a statement and returns its rows. */
export type Query = <Row extends object>(
  statement: Statement,
  values?: readonly unknown[],
) => Promise<Row[]>;

const TIMEOUTS = { connectionTimeoutMillis: 3_000, query_timeout: 5_000 };

/**
 * Lets the server give up first, so that a statement rarely succeeds after its caller got a 503. A
 * statement sets them, because poolers such as PgBouncer refuse them as connection parameters.
 */
const SET_TIMEOUTS = `
  SET statement_timeout = 4000; SET lock_timeout = 4000;
  SET idle_in_transaction_session_timeout = 4000`;

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
      onConnect: (client) => client.query(SET_TIMEOUTS),
    });
    // Without listeners, a connection that breaks while it is idle, or in a transaction, would end
    // the process. Statements that wait for it fail anyway.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  readonly query: Query = (statement, values) =>
    this.#reported(() => run(this.#pool, statement, values));

  /** Runs statements in a transaction, which is committed when this resolves. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.#reported(async () => {
      const client = await this.#pool.connect();
      try {
        await client.query('BEGIN');
        const result = await work((statement, values) => run(client, statement, values));
        await client.query('COMMIT');
        client.release();
        return result;
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
      return await work();
    } catch (error) {
      this.#report(databaseMessage(error));
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

async function run<Row extends object>(
  connection: pg.Pool | pg.PoolClient,
  statement: Statement,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const { rows } = await connection.query<Row>({ ...statement, values: [...values] });
  return rows;
}

/** Returns an error's message, or else its code. Messages of `pg` never contain the password. */
function databaseMessage(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return message || code || 'unknown';
}
