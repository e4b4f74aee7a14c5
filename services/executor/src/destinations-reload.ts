import { isDeepStrictEqual } from 'node:util';
import { type WatchedFile, watchedFile } from '@gatehouse/config-file';
import { type Destinations, loosens } from '@gatehouse/destinations';
import {
  inspectSecrets,
  type LoadedDestinations,
  loadDestinations,
  tlsFilesOf,
} from '@gatehouse/http-executor';
import type { Access, Logger } from '@gatehouse/service';
import { Counter, type Registry } from 'prom-client';

export interface ReloadDeps {
  /** The file as it was read at startup. */
  readonly loaded: LoadedDestinations;
  /** Applies a file to all executions that start from now on. */
  readonly use: (file: LoadedDestinations) => void;
  readonly access: Access;
  readonly logger: Logger;
  readonly registry: Registry;
}

const RESULTS = ['applied', 'unchanged', 'invalid'] as const;

/**
 * Reloads a destinations file when it, or a TLS file that it names, has changed. If the changed
 * file has mistakes, the last good version stays in force.
 */
export function reloadDestinations({
  loaded,
  use,
  access,
  logger,
  registry,
}: ReloadDeps): WatchedFile {
  const reloads = new Counter({
    name: 'executor_destinations_reloads_total',
    help: 'Reloads of the destinations file: applied, unchanged or invalid.',
    labelNames: ['result'],
    registers: [registry],
  });
  for (const result of RESULTS) reloads.inc({ result }, 0);
  let current = loaded;
  let last: (typeof RESULTS)[number] = 'unchanged';
  const { path } = loaded;
  const file = watchedFile(path, () => {
    const result = reload();
    reloads.inc({ result });
    if (last === 'invalid' && result === 'unchanged')
      logger.info({ destinations_file: path }, 'destinations valid again, and unchanged');
    last = result;
  });
  let tlsFiles = watchTls();
  warnOf(current, access, logger);

  function watchTls() {
    return tlsFilesOf(current).map((each) => watchedFile(each, file.readAgain));
  }

  function reload(): (typeof RESULTS)[number] {
    const next = load(current, logger);
    if (next === undefined) return 'invalid';
    if (isSame(current, next)) return 'unchanged';
    const change = loosens(current.destinations, next.destinations) ? 'loosening' : 'tightening';
    current = next;
    use(next);
    for (const each of tlsFiles) each.stop();
    tlsFiles = watchTls();
    const fields = { destinations_file: path, change, destinations: next.destinations.all.length };
    logger[change === 'loosening' ? 'warn' : 'info'](fields, 'destinations changed');
    warnOf(next, access, logger);
    return 'applied';
  }

  return {
    readAgain: file.readAgain,
    stop: () => {
      file.stop();
      for (const each of tlsFiles) each.stop();
    },
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

function load(before: LoadedDestinations, logger: Logger): LoadedDestinations | undefined {
  const { path } = before;
  try {
    return loadDestinations(path, before);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    logger.error(
      { destinations_file: path, reason },
      'destinations invalid; the last good ones stay in force',
    );
    return undefined;
  }
}

const MOST_SHOWN = 20;

/** Warns of secret files that every user can read, and of callers that no token names. */
function warnOf(file: LoadedDestinations, access: Access, logger: Logger): void {
  const { errors, warnings } = inspectSecrets(file);
  for (const warning of [...errors, ...warnings]) logger.warn(warning);
  const unknown = unknownCallers(file.destinations, access.tokens?.callers ?? new Set());
  // Certificates may name callers that no token names, so we cannot know all names.
  if (unknown.length === 0 || access.certificateCaller !== undefined) return;
  const fields = { callers: unknown.slice(0, MOST_SHOWN), count: unknown.length };
  logger.warn(
    fields,
    'destinations have callers that no token names; name them in HTTP_EXECUTOR_API_TOKENS as `name:token`',
  );
}

function unknownCallers({ all }: Destinations, known: ReadonlySet<string>): string[] {
  const used = new Set(all.flatMap(({ source }) => source.callers ?? []));
  return [...used].filter((caller) => !known.has(caller));
}
