import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { HEADER_NAME } from '@gatehouse/contracts';
import type {
  ExecutionLimits,
  ExecutorSettings,
  HeaderMode,
  SettingNames,
} from '@gatehouse/http-executor';
import { InvalidArgumentError, Option } from 'commander';

/** What the operator sets of the executor in this process. */
export interface ExecutorOptions
  extends Partial<Pick<ExecutorSettings, 'upstreamCa' | 'redactedHeaders' | 'shownHeaders'>> {
  readonly allowedHosts: readonly string[];
  readonly allowedNetworks: readonly string[];
  readonly headerMode: HeaderMode;
  readonly limits: ExecutionLimits;
  readonly settingNames: SettingNames;
}

/** Hosts commonly wait 60 s for a tool, and read an answer into a model's context. */
const ATTEMPT_TIMEOUT_MS = 15_000;
const TOTAL_TIMEOUT_MS = 50_000;
const MAX_RESPONSE_BYTES = 1024 * 1024;

const PREFIX = 'HTTP_EXECUTOR_';
const MAX_MS = 3_600_000;
const MAX_BYTES = 2 * MAX_RESPONSE_BYTES;

const setting = (name: string, kind: string, description: string) =>
  new Option(`--${name} <${kind}>`, description)
    .env(`${PREFIX}${name.toUpperCase().replaceAll('-', '_')}`)
    .conflicts('executorUrl');

/** The settings of the executor service that matter here, under the same names. */
export const executorOptions = (): readonly Option[] => [
  setting('allowed-hosts', 'list', 'hosts that may be reached; none by default').argParser(list),
  setting('allowed-networks', 'list', 'CIDRs that listed names may reach besides').argParser(list),
  setting('upstream-ca-file', 'file', 'PEM authorities to trust in upstreams').argParser(pemOf),
  setting('attempt-timeout-ms', 'ms', `one attempt (default: ${ATTEMPT_TIMEOUT_MS})`).argParser(
    wholeUpTo(MAX_MS),
  ),
  setting('total-timeout-ms', 'ms', `one call (default: ${TOTAL_TIMEOUT_MS})`).argParser(
    wholeUpTo(MAX_MS),
  ),
  setting('max-response-bytes', 'n', `(default: ${MAX_RESPONSE_BYTES})`).argParser(
    wholeUpTo(MAX_BYTES),
  ),
  setting('redacted-headers', 'list', 'names that show as REDACTED besides').argParser(headers),
  setting('shown-headers', 'list', 'names that show as they are').argParser(headers),
  setting('header-mode', 'mode', '`strict`: only safe response headers').choices(['all', 'strict']),
];

/** What commander makes of these options. */
export interface ExecutorFlags {
  readonly allowedHosts?: readonly string[];
  readonly allowedNetworks?: readonly string[];
  readonly upstreamCaFile?: string;
  readonly attemptTimeoutMs?: number;
  readonly totalTimeoutMs?: number;
  readonly maxResponseBytes?: number;
  readonly redactedHeaders?: readonly string[];
  readonly shownHeaders?: readonly string[];
  readonly headerMode?: HeaderMode;
}

export function executorOptionsOf(flags: ExecutorFlags): ExecutorOptions {
  return {
    allowedHosts: flags.allowedHosts ?? [],
    allowedNetworks: flags.allowedNetworks ?? [],
    redactedHeaders: flags.redactedHeaders ?? [],
    shownHeaders: flags.shownHeaders ?? [],
    headerMode: flags.headerMode ?? 'all',
    upstreamCa: flags.upstreamCaFile,
    limits: {
      attemptTimeoutMs: flags.attemptTimeoutMs ?? ATTEMPT_TIMEOUT_MS,
      totalTimeoutMs: flags.totalTimeoutMs ?? TOTAL_TIMEOUT_MS,
      maxResponseBytes: flags.maxResponseBytes ?? MAX_RESPONSE_BYTES,
    },
    settingNames: {
      allowedHosts: `${PREFIX}ALLOWED_HOSTS`,
      allowedNetworks: `${PREFIX}ALLOWED_NETWORKS`,
      maxExecutions: `${PREFIX}MAX_EXECUTIONS`,
      maxExecutionsPerHost: `${PREFIX}MAX_EXECUTIONS_PER_HOST`,
    },
  };
}

/** The entries of a comma-separated list. */
export function list(text: string): string[] {
  const entries = text.split(',').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '');
}

function headers(text: string): string[] {
  const names = list(text);
  const malformed = names.find((name) => !HEADER_NAME.test(name));
  if (malformed !== undefined)
    throw new InvalidArgumentError(`\`${malformed}\` is no header name.`);
  return names.map((name) => name.toLowerCase());
}

function wholeUpTo(most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= 1 && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${most}.`);
  };
}

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function pemOf(file: string): string {
  try {
    const pem = readFileSync(file, 'utf8');
    const found = pem.match(CERTIFICATES) ?? [];
    if (found.length > 0 && found.every((each) => new X509Certificate(each))) return pem;
  } catch {
    // Said below.
  }
  throw new InvalidArgumentError('It must name a file of PEM certificates.');
}
