import { type Reloadable, reloadable } from '@gatehouse/config-file';
import {
  compareDestinations,
  inspectSecrets,
  type LoadedDestinations,
  loadDestinations,
} from '@gatehouse/http-executor';
import { type Access, type Logger, warnOfUnknownCallers } from '@gatehouse/service';
import { Counter, type Registry } from 'prom-client';

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
export function reloadDestinations({ loaded, ...deps }: ReloadDeps): Reloadable {
  const { access, logger } = deps;
  const { path } = loaded;
  const fields = { destinations_file: path };
  let current = loaded;
  const reloads = new Counter({
    name: 'executor_destinations_reloads_total',
    help: 'Reloads of the destinations file, by result: applied, unchanged or invalid.',
    labelNames: ['result'],
    registers: [deps.registry],
  });
  for (const result of ['applied', 'unchanged', 'invalid']) reloads.inc({ result }, 0);
  logWarnings(loaded, access, logger);
  return reloadable({
    path,
    read: (readFile) => loadDestinations(path, readFile),
    apply: (next, isFirst) => {
      const { added, removed, changed } = compareDestinations(current, next);
      if (added.length + removed.length + changed.length === 0) {
        reloads.inc({ result: 'unchanged' });
        if (!isFirst) logger.info(fields, 'file read again; nothing has changed');
        return;
      }

      deps.use(next);
      current = next;
      reloads.inc({ result: 'applied' });
      const mayAllowMore = added.length + changed.length > 0;
      const change = { ...fields, added, removed, changed };
      logger[mayAllowMore ? 'warn' : 'info'](change, 'destinations changed');
      logWarnings(next, access, logger);
    },
    failed: ({ message: reason }) => {
      reloads.inc({ result: 'invalid' });
      logger.error({ ...fields, reason }, 'destinations invalid; the last good ones stay in force');
    },
  });
}

/** Warns about problems with secret files, and about callers in `file` that have no token. */
function logWarnings(file: LoadedDestinations, access: Access, logger: Logger): void {
  const { errors, warnings } = inspectSecrets(file);
  for (const warning of [...errors, ...warnings]) logger.warn(warning);
  warnOfUnknownCallers(
    file.destinations.all.flatMap(({ source }) => source.callers ?? []),
    access,
    logger,
    'some callers in the destinations file have no token; add their tokens to HTTP_EXECUTOR_API_TOKENS as `name:token`',
  );
}
