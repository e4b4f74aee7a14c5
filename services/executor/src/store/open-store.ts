import { type Logger, SettingsError } from '@gatehouse/service';
import { openPostgresStore } from './postgres-store.ts';
import { openSqliteStore } from './sqlite-store.ts';
import type { Report } from './store.ts';

/** Place of a store. */
type StoreLocation = { readonly path: string } | { readonly url: string };

/** Parses the setting HTTP_EXECUTOR_STORE. @throws Error that begins with a verb */
export function storeLocation(text: string): StoreLocation {
  const [, path] = /^sqlite:(?!\/\/)(.+)$/.exec(text) ?? [];
  if (path !== undefined) return { path };

  const url = URL.parse(text);
  if (url !== null && /^postgres(?:ql)?:$/.test(url.protocol)) return { url: text };
  throw new Error('must be `sqlite:PATH` or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`');
}

/**
 * Opens a store, which logs when it becomes unavailable or available. A PostgreSQL store opens even
 * if its server cannot be reached, and is available once it has been.
 * @throws {SettingsError} if an SQLite file cannot be used
 */
export async function openStore(location: StoreLocation, ttlS: number, logger: Logger) {
  let state: 'unknown' | 'available' | 'unavailable' = 'path' in location ? 'available' : 'unknown';
  const report: Report = (reason) => {
    if (reason !== undefined && state !== 'unavailable')
      logger.error({ reason }, 'store unavailable; executions with a key or token get a 503');
    if (reason === undefined && state === 'unavailable') logger.info('store available again');
    state = reason === undefined ? 'available' : 'unavailable';
  };
  const ttlMs = ttlS * 1_000;
  const store =
    'path' in location
      ? await openSqliteStore(location.path, ttlMs, report).catch(refuseFile)
      : openPostgresStore(location.url, ttlMs, report);
  return { store, isAvailable: () => state === 'available' };
}

function refuseFile({ message }: Error): never {
  throw new SettingsError(`HTTP_EXECUTOR_STORE cannot be used: ${message}`);
}
