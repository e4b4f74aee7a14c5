import { X509Certificate } from 'node:crypto';
import { statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { watchedFile } from '@gatehouse/config-file';
import type { Logger } from 'pino';
import type { ReloadDeps } from '../access/access.ts';
import { expiryWarning, keyConflict } from '../access/tls.ts';
import type { Tokens } from '../access/tokens.ts';
import {
  ACCESS_SPECS,
  type AccessValues,
  callerTokens,
  metricsTokens,
  tlsOf,
  tokenSettingConflicts,
} from './access-settings.ts';
import type { Environment } from './settings.ts';

interface AccessAtStart {
  readonly prefix: string;
  readonly env: Environment;
  readonly values: AccessValues;
  readonly tokens: Tokens | undefined;
  readonly metricsTokens: Tokens | undefined;
}

type Name = keyof AccessValues;

const TOKEN_FILES = ['API_TOKENS_FILE', 'METRICS_TOKEN_FILE'] as const;
const KEY_PAIR = ['TLS_CERT_FILE', 'TLS_KEY_FILE'] as const;

/**
 * Rereads token and TLS files when they change. A certificate and its key are reread together,
 * because they must match. If a file becomes unusable, its last good version stays in use.
 */
export function reloadAccess(start: AccessAtStart, deps: ReloadDeps): void {
  const { files, logger } = deps;
  let inForce = start.values;
  const watch = (name: Name, together: readonly Name[], apply: (latest: AccessValues) => void) => {
    const file = start.env[`${start.prefix}_${name}`];
    if (file === undefined || isPipe(file)) return;
    const changed = () => {
      try {
        const own = { ...inForce, ...readFiles(start, [name]) };
        // Stop if this file is unchanged, because each of the other files has its own watcher.
        if (isDeepStrictEqual(own, inForce)) return;
        const latest = { ...own, ...readFiles(start, together) };
        apply(latest);
        inForce = latest;
      } catch (error) {
        const { message: reason } = error as Error;
        logger.error({ reason }, 'changed file unusable; its last good version stays in force');
      }
    };
    files.push(watchedFile(file, changed));
  };
  for (const name of TOKEN_FILES)
    watch(name, [], (latest) => replaceTokens(latest, name, start, logger));
  const replaceTls = (latest: AccessValues) => applyTls(latest, start.prefix, deps);
  for (const name of KEY_PAIR) watch(name, KEY_PAIR, replaceTls);
  watch('TLS_CLIENT_CA_FILE', [], replaceTls);
}

/** Reads the files. @throws {Error} that names the setting, if a file is unreadable or invalid */
function readFiles({ prefix, env }: AccessAtStart, names: readonly Name[]): Partial<AccessValues> {
  const values: Record<string, unknown> = {};
  for (const name of names) {
    const setting = `${prefix}_${name}`;
    const file = env[setting];
    // Skip pipes, because reading a pipe again after startup would block the process.
    if (file === undefined || isPipe(file)) continue;
    try {
      values[name] = ACCESS_SPECS[name]._parse(file);
    } catch (error) {
      throw new Error(`${setting} ${(error as Error).message}`);
    }
  }
  return values;
}

/** True if the path is neither a file nor a folder, for example if it is a pipe. */
function isPipe(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isFile() && !stats.isDirectory();
}

/** Replaces the accepted tokens and logs the change. @throws Error if two tokens conflict */
function replaceTokens(latest: AccessValues, name: Name, start: AccessAtStart, logger: Logger) {
  const [conflict] = Object.entries(tokenSettingConflicts(start.prefix, latest));
  if (conflict !== undefined) throw new Error(conflict.join(' '));
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
