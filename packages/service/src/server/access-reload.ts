import { X509Certificate } from 'node:crypto';
import { statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { type ReadFile, type Reloadable, reloadable } from '@gatehouse/config-file';
import type { Logger } from 'pino';
import type { ReloadDeps } from '../access/access.ts';
import { expiryWarning, keyConflict } from '../access/tls.ts';
import type { Tokens } from '../access/tokens.ts';
import {
  type AccessValues,
  callerTokens,
  FILE_PARSERS,
  metricsTokens,
  tlsOf,
} from './access-settings.ts';
import { type Environment, readSettingFile } from './settings.ts';

/** Returns messages about tokens that must not be used together, keyed by setting. */
export type TokenConflicts = (latest: AccessValues) => Readonly<Record<string, string>>;

interface AccessAtStart {
  readonly prefix: string;
  readonly env: Environment;
  readonly values: AccessValues;
  readonly tokens: Tokens | undefined;
  readonly metricsTokens: Tokens | undefined;
  readonly conflicts: TokenConflicts;
}

type Name = keyof typeof FILE_PARSERS;

/**
 * Reloads token and TLS files. A certificate and its key are reloaded together, because they must
 * match. If a file is unusable, its last good version stays in force.
 */
export function reloadAccess(start: AccessAtStart, deps: ReloadDeps): Reloadable[] {
  const { logger, pollMs } = deps;
  let inForce = start.values;
  const reload = (names: readonly Name[], replace: (latest: AccessValues) => void) => {
    // Leave out pipes, because the content of a pipe can be read only once, at startup.
    const files = names.flatMap((name) => {
      const path = start.env[`${start.prefix}_${name}`];
      return path === undefined || isPipe(path) ? [] : [{ name, path }];
    });
    const [first] = files;
    if (first === undefined) return [];

    return reloadable({
      ...{ path: first.path, pollMs },
      read: (readFile) =>
        files.map(({ name, path }) => [name, parseFile(name, path, start.prefix, readFile)]),
      apply: (values) => {
        const latest = { ...inForce, ...Object.fromEntries(values) };
        if (isDeepStrictEqual(latest, inForce)) return;
        replace(latest);
        inForce = latest;
      },
      failed: ({ message: reason }) =>
        logger.error({ reason }, 'changed file unusable; its last good version stays in force'),
    });
  };
  const reloadTokens = (name: Name) =>
    reload([name], (latest) => replaceTokens(latest, name, start, logger));
  const replaceTls = (latest: AccessValues) => applyTls(latest, start.prefix, deps);
  return [
    reloadTokens('API_TOKENS_FILE'),
    reloadTokens('METRICS_TOKEN_FILE'),
    reload(['TLS_CERT_FILE', 'TLS_KEY_FILE'], replaceTls),
    reload(['TLS_CLIENT_CA_FILE'], replaceTls),
  ].flat();
}

const isPipe = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === false;

/** @throws {Error} that names the setting, if the file is unreadable or invalid */
function parseFile(name: Name, path: string, prefix: string, readFile: ReadFile) {
  try {
    return FILE_PARSERS[name](readSettingFile(path, readFile));
  } catch (error) {
    throw new Error(`${prefix}_${name} ${(error as Error).message}`);
  }
}

/** Replaces the accepted tokens and logs the change. @throws Error if two tokens conflict */
function replaceTokens(latest: AccessValues, name: Name, start: AccessAtStart, logger: Logger) {
  const [conflict] = Object.entries(start.conflicts(latest));
  if (conflict !== undefined)
    throw new Error(`${start.prefix}_${name} is refused: ${conflict.join(' ')}`);
  start.tokens?.replace(callerTokens(latest));
  start.metricsTokens?.replace(metricsTokens(latest));
  const changed = name === 'API_TOKENS_FILE' ? start.tokens : start.metricsTokens;
  const counts = { tokens: changed?.size, callers: changed?.callers.size };
  logger.info({ setting: `${start.prefix}_${name}`, ...counts }, 'tokens changed');
  if (changed?.weakness !== undefined) logger.warn(changed.weakness);
}

/** Applies new TLS files. @throws {Error} if the key does not match the certificate */
function applyTls(latest: AccessValues, prefix: string, { logger, setTls }: ReloadDeps): void {
  const tls = tlsOf(latest);
  if (tls === undefined) return;
  const conflict = keyConflict(prefix, tls);
  if (conflict !== undefined) throw new Error(`${prefix}_TLS_KEY_FILE ${conflict}`);
  setTls(tls);
  logger.info({ valid_to: new X509Certificate(tls.cert).validTo }, 'TLS files changed');
  const warning = expiryWarning(tls);
  if (warning !== undefined) logger.warn(warning);
}
