import { isDeepStrictEqual } from 'node:util';
import { type WatchedFile, watchedFile } from '@gatehouse/config-file';
import {
  compareDestinations,
  inspectSecrets,
  type LoadedDestinations,
  loadDestinations,
  UnusableTlsFile,
} from '@gatehouse/http-executor';
import { type Access, type Logger, reloadedFile, warnOfUnknownCallers } from '@gatehouse/service';
import type { Registry } from 'prom-client';

interface ReloadDeps {
  readonly loaded: LoadedDestinations;
  /** Uses a destinations file for all executions that start later. */
  readonly use: (file: LoadedDestinations) => void;
  readonly access: Access;
  readonly logger: Logger;
  readonly registry: Registry;
}

/**
 * Reloads the destinations file when the file, or a TLS file named in it, changes. If the changed
 * file is invalid, the destinations stay as they were.
 */
export function reloadDestinations(deps: ReloadDeps): WatchedFile {
  const { loaded, use, access, logger } = deps;
  const { path } = loaded;
  let current = loaded;
  const reloads = {
    path,
    read: () => {
      try {
        return loadDestinations(path);
      } catch (error) {
        // Also watch the TLS files, because fixing one can make the destinations file valid.
        if (error instanceof UnusableTlsFile) watchTls([...current.tlsFiles, ...error.tlsFiles]);
        throw error;
      }
    },
    apply: (next: LoadedDestinations) => {
      if (isSame(current, next)) return 'unchanged';
      logChange(current, next, logger);
      current = next;
      use(next);
      watchTls(next.tlsFiles);
      warnOf(next, access, logger);
      return 'applied';
    },
    counter: {
      name: 'executor_destinations_reloads_total',
      help: 'Reloads of the destinations file, by result: applied, unchanged or invalid.',
      results: ['applied', 'unchanged', 'invalid'],
    },
    invalid: {
      message: 'destinations invalid; the last good ones stay in force',
      fields: { destinations_file: path },
    },
  } as const;
  const file = reloadedFile(reloads, deps);
  const watchTls = watcher(file.readSoon);
  watchTls(loaded.tlsFiles);
  warnOf(loaded, access, logger);
  return {
    ...file,
    stop: () => {
      file.stop();
      watchTls([]);
    },
  };
}

/** Returns a function that watches only `paths`, and reuses the watchers that already exist. */
function watcher(changed: () => void): (paths: readonly string[]) => void {
  let files = new Map<string, WatchedFile>();
  return (paths) => {
    const before = files;
    const watch = (path: string) => before.get(path) ?? watchedFile(path, changed);
    files = new Map([...new Set(paths)].map((path) => [path, watch(path)]));
    for (const [path, file] of before) if (!files.has(path)) file.stop();
  };
}

function isSame(one: LoadedDestinations, other: LoadedDestinations): boolean {
  const facts = ({ destinations: { all, credentials }, tls }: LoadedDestinations) => [
    all.map(({ source }) => source),
    credentials,
    [...tls.values()].map(({ id }) => id),
  ];
  return isDeepStrictEqual(facts(one), facts(other));
}

function logChange(before: LoadedDestinations, after: LoadedDestinations, logger: Logger): void {
  const changes = compareDestinations(before, after);
  const mayAllowMore = changes.added.length + changes.changed.length > 0;
  const fields = { destinations_file: after.path, ...changes };
  logger[mayAllowMore ? 'warn' : 'info'](fields, 'destinations changed');
}

/** Warns about problems with secret files, and about callers in `file` that have no token. */
function warnOf(file: LoadedDestinations, access: Access, logger: Logger): void {
  const { errors, warnings } = inspectSecrets(file);
  for (const warning of [...errors, ...warnings]) logger.warn(warning);
  warnOfUnknownCallers(
    file.destinations.all.flatMap(({ source }) => source.callers ?? []),
    access,
    logger,
    'some callers in the destinations file have no token; add their tokens to HTTP_EXECUTOR_API_TOKENS as `name:token`',
  );
}
