import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { HEADER_NAME } from '@gatehouse/contracts';
import type { ExecutionLimits, HeaderMode, SettingNames } from '@gatehouse/http-executor';
import { InvalidArgumentError, Option } from 'commander';

/** What the operator sets of the executor in this process, as commander makes it. */
export interface ExecutorOptions extends ExecutionLimits {
  readonly allowedHosts: readonly string[];
  readonly allowedNetworks: readonly string[];
  /** The content of that file. */
  readonly upstreamCaFile?: string;
  readonly redactedHeaders: readonly string[];
  readonly shownHeaders: readonly string[];
  readonly headerMode: HeaderMode;
}

const PREFIX = 'HTTP_EXECUTOR_';
const MAX_MS = 3_600_000;
const MIB = 1024 * 1024;

const setting = (name: string, kind: string, description: string) =>
  new Option(`--${name} <${kind}>`, description)
    .env(`${PREFIX}${name.toUpperCase().replaceAll('-', '_')}`)
    .conflicts('executorUrl');

const listSetting = (name: string, description: string) =>
  setting(name, 'list', description).default([], 'none').argParser(list);

const headersSetting = (name: string, description: string) =>
  listSetting(name, description).argParser(headers);

const wholeSetting = (name: string, kind: string, description: string, most: number) =>
  setting(name, kind, description).argParser(wholeUpTo(most));

/**
 * The settings of the executor service that matter here, under the same names. Hosts commonly
 * wait 60 s for a tool, and read an answer into a model's context.
 */
export const EXECUTOR_OPTIONS: readonly Option[] = [
  listSetting('allowed-hosts', 'hosts that may be reached'),
  listSetting('allowed-networks', 'CIDRs that listed names may reach besides'),
  setting('upstream-ca-file', 'file', 'PEM authorities to trust in upstreams').argParser(pemOf),
  wholeSetting('attempt-timeout-ms', 'ms', 'one attempt', MAX_MS).default(15_000),
  wholeSetting('total-timeout-ms', 'ms', 'one call', MAX_MS).default(50_000),
  wholeSetting('max-response-bytes', 'n', 'one answer', 2 * MIB).default(MIB),
  headersSetting('redacted-headers', 'names that show as REDACTED besides'),
  headersSetting('shown-headers', 'names that show as they are'),
  setting('header-mode', 'mode', '`strict`: only safe response headers')
    .choices(['all', 'strict'])
    .default('all'),
];

/** For messages that tell an operator what to change. */
export const SETTING_NAMES: SettingNames = {
  allowedHosts: `${PREFIX}ALLOWED_HOSTS`,
  allowedNetworks: `${PREFIX}ALLOWED_NETWORKS`,
  maxExecutions: `${PREFIX}MAX_EXECUTIONS`,
  maxExecutionsPerHost: `${PREFIX}MAX_EXECUTIONS_PER_HOST`,
};

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
