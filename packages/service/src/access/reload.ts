import { X509Certificate } from 'node:crypto';
import { statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { type WatchedFile, watchedFile } from '@gatehouse/config-file';
import type { Logger } from '../log/logger.ts';
import type { WatchedFiles } from '../server/watched-files.ts';
import type { Environment } from '../settings/settings.ts';
import {
  type AccessValues,
  accessSchema,
  callerTokens,
  keyConflict,
  metricsTokens,
  tlsOf,
  tokenConflicts,
} from './access-settings.ts';
import type { Tls } from './tls.ts';
import type { Tokens } from './tokens.ts';

interface AccessAtStart {
  readonly prefix: string;
  readonly env: Environment;
  readonly values: AccessValues;
  readonly tokens: Tokens | undefined;
  readonly metricsTokens: Tokens | undefined;
}

export interface ReloadDeps {
  readonly files: WatchedFiles;
  readonly logger: Logger;
  readonly setTls: (tls: Tls) => void;
}

/** Applies the latest content of all files. `fields` name the file that has changed. */
type Take = (latest: AccessValues, fields: { setting: string; file: string }) => void;

const TOKEN_FILES = ['API_TOKENS_FILE', 'METRICS_TOKEN_FILE'] as const;
const TLS_FILES = ['TLS_CERT_FILE', 'TLS_KEY_FILE', 'TLS_CLIENT_CA_FILE'] as const;

const UNUSABLE = 'changed file unusable; its last good version stays in force';

/** Rereads the files of access settings, but keeps the last good version of an unusable file. */
export function reloadAccess(start: AccessAtStart, deps: ReloadDeps): void {
  const { prefix, env } = start;
  const specs: Readonly<Record<string, { _parse(path: string): unknown }>> = accessSchema(prefix);
  let latest = start.values;
  /** Files whose latest content is unusable, perhaps because it conflicts with another file. */
  const refused = new Set<WatchedFile>();
  const follow = (name: keyof AccessValues, take: Take) => {
    const setting = `${prefix}_${name}`;
    const file = env[setting];
    if (file === undefined || isPipe(file)) return;
    const changed = () => {
      try {
        if (isPipe(file)) throw new Error('must name a regular file');
        const value = specs[setting]?._parse(file);
        refused.delete(watched);
        if (isDeepStrictEqual(value, latest[name])) return;
        const next = { ...latest, [name]: value };
        take(next, { setting, file });
        latest = next;
      } catch (error) {
        refused.add(watched);
        deps.logger.error({ setting, file, reason: (error as Error).message }, UNUSABLE);
        return;
      }
      // This change may have removed the conflict for which another file was refused.
      for (const other of refused) other.readAgain();
    };
    const watched = watchedFile(file, changed);
    deps.files.add(watched);
  };
  const takeTls = tlsReload(start, deps);
  for (const name of TOKEN_FILES) follow(name, tokenReload(start, deps.logger));
  for (const name of TLS_FILES) follow(name, takeTls);
}

/**
 * True for a pipe, or another path that is not a regular file. A pipe can be read only once, so a
 * second read would block the process.
 */
const isPipe = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === false;

function tokenReload(start: AccessAtStart, logger: Logger): Take {
  return (latest, fields) => {
    const [conflict] = Object.entries(tokenConflicts(start.prefix, latest));
    if (conflict !== undefined) throw new Error(conflict.join(' '));
    start.tokens?.replace(callerTokens(latest));
    start.metricsTokens?.replace(metricsTokens(latest));
    const changed = fields.setting.endsWith('_API_TOKENS_FILE')
      ? start.tokens
      : start.metricsTokens;
    logger.info(
      { ...fields, tokens: changed?.size, callers: changed?.callers.size },
      'tokens changed',
    );
    if (changed?.weakness !== undefined) logger.warn(changed.weakness);
  };
}

/**
 * Maximum time between the replacement of a certificate and the replacement of its key. If the two
 * still do not match after this time, an error is logged.
 */
const ROTATION_MS = 15_000;

/** Applies a new certificate and its key together, as soon as they match. */
function tlsReload({ prefix, env, values }: AccessAtStart, { logger, setTls }: ReloadDeps): Take {
  const setting = `${prefix}_TLS_KEY_FILE`;
  let inForce = tlsOf(values);
  let rotating: NodeJS.Timeout | undefined;
  return (latest, fields) => {
    clearTimeout(rotating);
    const read = tlsOf(latest);
    if (inForce === undefined || read === undefined) return;
    const conflict = keyConflict(prefix, read);
    const reason = `${setting} ${conflict}`;
    if (conflict !== undefined)
      rotating = setTimeout(() => {
        logger.error({ setting, file: env[setting], reason }, UNUSABLE);
      }, ROTATION_MS).unref();
    const next = conflict === undefined ? read : { ...inForce, clientCa: read.clientCa };
    if (isDeepStrictEqual(next, inForce)) return;
    setTls(next);
    inForce = next;
    const { validTo: valid_to } = new X509Certificate(next.cert);
    logger.info({ ...fields, valid_to }, 'TLS files changed');
  };
}
