import { HEADER_NAME } from '@gatehouse/contracts';
import {
  EXECUTION_DEFAULTS,
  type ExecutorSettings,
  MAX_SCHEMA_BYTES,
  parseAllowlist,
  parseNetworks,
  type SettingNames,
} from '@gatehouse/http-executor';
import {
  bindAddress,
  type Environment,
  fileOf,
  integer,
  listOf,
  oneOf,
  parseCertificates,
  readServiceSettings,
  type ServiceConfig,
} from '@gatehouse/service';

const PREFIX = 'HTTP_EXECUTOR';

const MIB = 1024 * 1024;

const attemptMs = integer(1, 600_000);
const totalMs = integer(1, 3_600_000);
const waitMs = integer(0, 60_000);
const executions = integer(1, 100_000);
const headerMode = oneOf('all', 'strict');
const bytes = integer(1, 256 * MIB);

/** Setting names for messages to operators. */
export const SETTING_NAMES: SettingNames = {
  allowedHosts: `${PREFIX}_ALLOWED_HOSTS`,
  allowedNetworks: `${PREFIX}_ALLOWED_NETWORKS`,
  maxExecutions: `${PREFIX}_MAX_EXECUTIONS`,
  maxExecutionsPerHost: `${PREFIX}_MAX_EXECUTIONS_PER_HOST`,
};

export interface ExecutorConfig extends ServiceConfig, ExecutorSettings {
  readonly allowedHosts: readonly string[];
  readonly allowedNetworks: readonly string[];
}

/** Defaults are from `http-executor.md`, section 8. */
export const ownSettings = {
  HTTP_EXECUTOR_BIND_ADDR: bindAddress({
    default: { host: '0.0.0.0', port: 8092 },
    desc: 'Address on which the service listens.',
  }),
  HTTP_EXECUTOR_ALLOWED_HOSTS: listOf((texts) => parseAllowlist(texts).entries)({
    default: ['localhost', '127.0.0.1', '::1'],
    desc: 'Hosts that may be reached: `host`, `host:port`, `*.domain` (only subdomains) or an IP literal. Set but empty: none.',
    example: 'api.example.com,*.internal.example.com',
  }),
  HTTP_EXECUTOR_ALLOWED_NETWORKS: listOf(networks)({
    default: [],
    desc: 'CIDRs that allowlisted names may resolve to, in addition to public addresses.',
    example: '10.20.0.0/16',
  }),
  HTTP_EXECUTOR_UPSTREAM_CA_FILE: fileOf(parseCertificates)({
    default: undefined,
    desc: 'PEM certificate authorities to trust in upstreams, in addition to the built-in ones and those of `NODE_EXTRA_CA_CERTS`.',
    example: '/run/secrets/upstreams.crt',
  }),
  HTTP_EXECUTOR_ATTEMPT_TIMEOUT_MS: attemptMs({
    default: EXECUTION_DEFAULTS.attemptTimeoutMs,
    desc: 'Time limit of one attempt, from name resolution to the last byte, including redirects.',
  }),
  HTTP_EXECUTOR_TOTAL_TIMEOUT_MS: totalMs({
    default: EXECUTION_DEFAULTS.totalTimeoutMs,
    desc: 'Time limit of all attempts and the waits between them.',
  }),
  HTTP_EXECUTOR_MAX_EXECUTIONS: executions({
    default: EXECUTION_DEFAULTS.maxExecutions,
    desc: 'Executions in flight at once.',
  }),
  HTTP_EXECUTOR_MAX_EXECUTIONS_PER_HOST: executions({
    default: EXECUTION_DEFAULTS.maxExecutionsPerHost,
    desc: 'Executions in flight at once for one host and port.',
  }),
  HTTP_EXECUTOR_MAX_WAIT_MS: waitMs({
    default: EXECUTION_DEFAULTS.maxWaitMs,
    desc: 'How long an execution waits for one of these slots before it gets a 429 with `Retry-After`.',
  }),
  HTTP_EXECUTOR_MAX_REQUEST_BYTES: bytes({
    default: MIB,
    desc: 'Largest body of `POST /execute`.',
  }),
  HTTP_EXECUTOR_MAX_SCHEMA_BYTES: bytes({
    default: MAX_SCHEMA_BYTES,
    desc: 'Largest `response_schema`, written as JSON.',
  }),
  HTTP_EXECUTOR_MAX_RESPONSE_BYTES: bytes({
    default: EXECUTION_DEFAULTS.maxResponseBytes,
    desc: 'Largest response body, counted after decompression.',
  }),
  HTTP_EXECUTOR_REDACTED_HEADERS: listOf(headerNames)({
    default: [],
    desc: 'Header names whose values are shown as `REDACTED`, in addition to the built-in ones.',
    example: 'x-session',
  }),
  HTTP_EXECUTOR_SHOWN_HEADERS: listOf(headerNames)({
    default: [],
    desc: 'Header names whose values are shown although the built-in rules would redact them.',
    example: 'mcp-session-id',
  }),
  HTTP_EXECUTOR_HEADER_MODE: headerMode({
    default: 'all',
    desc: '`strict` shows only response headers that are known to be safe.',
  }),
};

/** @throws SettingsError that lists every bad setting */
export function readConfig(env: Environment): ExecutorConfig {
  const { settings, config } = readServiceSettings(PREFIX, ownSettings, env);
  return {
    ...config,
    bind: settings.HTTP_EXECUTOR_BIND_ADDR,
    allowedHosts: settings.HTTP_EXECUTOR_ALLOWED_HOSTS,
    allowedNetworks: settings.HTTP_EXECUTOR_ALLOWED_NETWORKS,
    upstreamCa: settings.HTTP_EXECUTOR_UPSTREAM_CA_FILE,
    redactedHeaders: settings.HTTP_EXECUTOR_REDACTED_HEADERS,
    shownHeaders: settings.HTTP_EXECUTOR_SHOWN_HEADERS,
    headerMode: settings.HTTP_EXECUTOR_HEADER_MODE,
    maxSchemaBytes: settings.HTTP_EXECUTOR_MAX_SCHEMA_BYTES,
    concurrency: {
      maxExecutions: settings.HTTP_EXECUTOR_MAX_EXECUTIONS,
      maxExecutionsPerHost: settings.HTTP_EXECUTOR_MAX_EXECUTIONS_PER_HOST,
      maxWaitMs: settings.HTTP_EXECUTOR_MAX_WAIT_MS,
    },
    limits: {
      attemptTimeoutMs: settings.HTTP_EXECUTOR_ATTEMPT_TIMEOUT_MS,
      totalTimeoutMs: settings.HTTP_EXECUTOR_TOTAL_TIMEOUT_MS,
      maxRequestBytes: settings.HTTP_EXECUTOR_MAX_REQUEST_BYTES,
      maxResponseBytes: settings.HTTP_EXECUTOR_MAX_RESPONSE_BYTES,
    },
  };
}

function networks(texts: readonly string[]): readonly string[] {
  parseNetworks(texts);
  return texts;
}

function headerNames(names: readonly string[]): readonly string[] {
  const malformed = names.filter((name) => !HEADER_NAME.test(name));
  if (malformed.length > 0)
    throw new Error(
      `must list header names; ${malformed.map((name) => `\`${name}\``).join(', ')} is malformed`,
    );
  return names.map((name) => name.toLowerCase());
}
