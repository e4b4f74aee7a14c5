import { DEFAULT_ISSUER } from '@gatehouse/contracts';
import {
  EXECUTION_DEFAULTS,
  listHosts,
  MAX_SCHEMA_BYTES,
  parseAllowlist,
  type SettingNames,
} from '@gatehouse/http-executor';
import {
  bindAddress,
  type Environment,
  fileOf,
  integer,
  issuer,
  listOf,
  oneOf,
  parseCertificates,
  parsedBy,
  readServiceSettings,
  secret,
  type Values,
} from '@gatehouse/service';
import { keySource } from './decision-keys.ts';
import {
  destinationsFile,
  headerNames,
  networks,
  proxyUrl,
  shownHeaderNames,
} from './setting-values.ts';
import { storeLocation } from './store/open-store.ts';

const PREFIX = 'HTTP_EXECUTOR';

const MIB = 1024 * 1024;

const attemptMs = integer(1, 600_000);
const totalMs = integer(1, 3_600_000);
const waitMs = integer(0, 60_000);
const executions = integer(1, 100_000);
const headerMode = oneOf('all', 'strict');
const keyTtlS = integer(60, 31_536_000);
const bytes = integer(1, 256 * MIB);
const buffered = integer(MIB, 4096 * MIB);

export type ExecutorConfig = ReturnType<typeof readConfig>;

/** Settings of the executor, with the defaults from `http-executor.md`, section 8. */
export const ownSettings = {
  HTTP_EXECUTOR_BIND_ADDR: bindAddress({
    default: { host: '0.0.0.0', port: 8092 },
    desc: 'Address on which the service listens. `localhost` means 127.0.0.1.',
  }),
  HTTP_EXECUTOR_ALLOWED_HOSTS: listOf((texts) => listHosts(parseAllowlist(texts).all))({
    default: ['localhost', '127.0.0.1', '::1'],
    desc: 'Comma-separated hosts that actions may reach, each as `host`, `host:port`, `*.domain` (subdomains only) or an IP literal. An empty allowlist allows no hosts.',
    example: 'api.example.com,*.internal.example.com',
  }),
  HTTP_EXECUTOR_DESTINATIONS_FILE: parsedBy(destinationsFile)({
    default: undefined,
    desc: 'Destinations file in YAML or JSON, which replaces the allowlist. The service reloads the destinations file when it changes and on SIGHUP.',
    example: '/etc/gatehouse/destinations.yaml',
  }),
  HTTP_EXECUTOR_DECISION_KEYS: parsedBy(keySource)({
    default: undefined,
    desc: 'Path or URL of the JSON Web Key Set of the policy service, such as its `/policy/keys`. If set, every execution needs a decision token in `x-gatehouse-decision`. The file is read again when it changes, and the URL every 5 minutes.',
    example: '/etc/gatehouse/policy-keys.json',
  }),
  HTTP_EXECUTOR_DECISION_ISSUER: issuer({
    default: DEFAULT_ISSUER,
    desc: 'Issuer that decision tokens must name in `iss`.',
  }),
  HTTP_EXECUTOR_STORE: secret(storeLocation)({
    default: undefined,
    desc: 'Store of idempotency keys, of their outcomes and of used decision tokens: an SQLite file that only this process uses (`sqlite:PATH`), or a PostgreSQL database that all replicas share (`postgres://USER:PASSWORD@HOST:PORT/DATABASE`). Without a store, executions cannot have an `Idempotency-Key`.',
    example: 'sqlite:/var/lib/gatehouse/executor.db',
  }),
  HTTP_EXECUTOR_KEY_TTL_S: keyTtlS({
    default: 86_400,
    desc: 'How long the store remembers an idempotency key and its outcome, in seconds from the first execution. Must not be shorter than `HTTP_EXECUTOR_TOTAL_TIMEOUT_MS`.',
  }),
  HTTP_EXECUTOR_ALLOWED_NETWORKS: listOf(networks)({
    default: [],
    desc: 'Comma-separated non-public networks (CIDR) that allowlisted host names may resolve to. Public addresses are always allowed.',
    example: '10.20.0.0/16',
  }),
  HTTP_EXECUTOR_UPSTREAM_CA_FILE: fileOf(parseCertificates)({
    default: undefined,
    desc: 'PEM file of additional CA certificates to trust for upstreams. The built-in CA certificates and those in `NODE_EXTRA_CA_CERTS` are trusted too.',
    example: '/run/secrets/upstreams.crt',
  }),
  HTTP_EXECUTOR_PROXY: secret(proxyUrl)({
    default: undefined,
    desc: 'URL (http or https) of an outgoing proxy for all upstreams except loopback addresses. The URL can include a user name and a password. The proxy resolves the names of upstreams, so the executor cannot check their addresses.',
    example: 'http://proxy.internal.example.com:3128',
  }),
  HTTP_EXECUTOR_ATTEMPT_TIMEOUT_MS: attemptMs({
    default: EXECUTION_DEFAULTS.attemptTimeoutMs,
    desc: 'Time limit for one attempt, including its redirects, from name resolution to the last byte of the response.',
  }),
  HTTP_EXECUTOR_TOTAL_TIMEOUT_MS: totalMs({
    default: EXECUTION_DEFAULTS.totalTimeoutMs,
    desc: 'Time limit for all attempts and the waits between them.',
  }),
  HTTP_EXECUTOR_MAX_EXECUTIONS: executions({
    default: EXECUTION_DEFAULTS.maxExecutions,
    desc: 'Maximum number of executions in flight.',
  }),
  HTTP_EXECUTOR_MAX_EXECUTIONS_PER_HOST: executions({
    default: EXECUTION_DEFAULTS.maxExecutionsPerHost,
    desc: 'Maximum number of executions in flight for one host and port.',
  }),
  HTTP_EXECUTOR_MAX_WAIT_MS: waitMs({
    default: EXECUTION_DEFAULTS.maxWaitMs,
    desc: 'How long an execution waits for other executions to finish before it gets a 429 with `Retry-After`.',
  }),
  HTTP_EXECUTOR_MAX_REQUEST_BYTES: bytes({
    default: EXECUTION_DEFAULTS.maxRequestBytes,
    desc: 'Maximum size of a request body of `POST /execute`, in bytes.',
  }),
  HTTP_EXECUTOR_MAX_SCHEMA_BYTES: bytes({
    default: MAX_SCHEMA_BYTES,
    desc: 'Maximum size of a `response_schema`, in bytes of JSON.',
  }),
  HTTP_EXECUTOR_MAX_RESPONSE_BYTES: bytes({
    default: EXECUTION_DEFAULTS.maxResponseBytes,
    desc: 'Maximum size of a response body, in bytes after decompression.',
  }),
  HTTP_EXECUTOR_MAX_BUFFERED_BYTES: buffered({
    default: EXECUTION_DEFAULTS.maxBufferedBytes,
    desc: 'Memory for the response bodies of all executions together, in bytes. While it is in use, reading a body waits. While more than four times as much is waited for, new executions wait and then get a 429.',
  }),
  HTTP_EXECUTOR_REDACTED_HEADERS: listOf(headerNames)({
    default: [],
    desc: 'Comma-separated names of headers whose values appear as `REDACTED`, in addition to the built-in names.',
    example: 'x-session',
  }),
  HTTP_EXECUTOR_SHOWN_HEADERS: listOf(shownHeaderNames)({
    default: [],
    desc: 'Comma-separated names of headers whose values are shown even though the built-in rules would redact them.',
    example: 'mcp-session-id',
  }),
  HTTP_EXECUTOR_HEADER_MODE: headerMode({
    default: 'all',
    desc: '`strict` shows only response headers that are known to be safe.',
  }),
};

/** Names of settings for refusals, which say what an operator must change. */
export const SETTING_NAMES = {
  allowedHosts: 'HTTP_EXECUTOR_ALLOWED_HOSTS',
  destinations: 'HTTP_EXECUTOR_DESTINATIONS_FILE',
  allowedNetworks: 'HTTP_EXECUTOR_ALLOWED_NETWORKS',
  maxExecutions: 'HTTP_EXECUTOR_MAX_EXECUTIONS',
  maxExecutionsPerHost: 'HTTP_EXECUTOR_MAX_EXECUTIONS_PER_HOST',
} as const satisfies Record<keyof SettingNames, keyof typeof ownSettings>;

/** @throws SettingsError that lists every bad setting */
export function readConfig(env: Environment) {
  const { settings, config } = readServiceSettings(PREFIX, ownSettings, env, conflicts);
  const { HTTP_EXECUTOR_PROXY: proxy } = settings;
  return {
    ...config,
    warnings: [
      ...config.warnings,
      ...(proxy === undefined ? [] : [PROXY_WARNING]),
      ...(needsStore(settings) ? [NO_STORE_WARNING] : []),
    ],
    bind: settings.HTTP_EXECUTOR_BIND_ADDR,
    allowedHosts: settings.HTTP_EXECUTOR_ALLOWED_HOSTS,
    destinations: settings.HTTP_EXECUTOR_DESTINATIONS_FILE,
    decisionKeys: settings.HTTP_EXECUTOR_DECISION_KEYS,
    decisionIssuer: settings.HTTP_EXECUTOR_DECISION_ISSUER,
    storeLocation: settings.HTTP_EXECUTOR_STORE,
    keyTtlS: settings.HTTP_EXECUTOR_KEY_TTL_S,
    allowedNetworks: settings.HTTP_EXECUTOR_ALLOWED_NETWORKS,
    proxy,
    upstreamCa: settings.HTTP_EXECUTOR_UPSTREAM_CA_FILE,
    redactedHeaders: settings.HTTP_EXECUTOR_REDACTED_HEADERS,
    shownHeaders: settings.HTTP_EXECUTOR_SHOWN_HEADERS,
    headerMode: settings.HTTP_EXECUTOR_HEADER_MODE,
    maxSchemaBytes: settings.HTTP_EXECUTOR_MAX_SCHEMA_BYTES,
    limits: {
      maxExecutions: settings.HTTP_EXECUTOR_MAX_EXECUTIONS,
      maxExecutionsPerHost: settings.HTTP_EXECUTOR_MAX_EXECUTIONS_PER_HOST,
      maxWaitMs: settings.HTTP_EXECUTOR_MAX_WAIT_MS,
      attemptTimeoutMs: settings.HTTP_EXECUTOR_ATTEMPT_TIMEOUT_MS,
      totalTimeoutMs: settings.HTTP_EXECUTOR_TOTAL_TIMEOUT_MS,
      maxRequestBytes: settings.HTTP_EXECUTOR_MAX_REQUEST_BYTES,
      maxResponseBytes: settings.HTTP_EXECUTOR_MAX_RESPONSE_BYTES,
      maxBufferedBytes: settings.HTTP_EXECUTOR_MAX_BUFFERED_BYTES,
    },
  };
}

interface StoreSettings {
  readonly HTTP_EXECUTOR_DECISION_KEYS: unknown;
  readonly HTTP_EXECUTOR_STORE: unknown;
}

const needsStore = (settings: StoreSettings): boolean =>
  settings.HTTP_EXECUTOR_DECISION_KEYS !== undefined && settings.HTTP_EXECUTOR_STORE === undefined;

function conflicts(env: Environment, valid: Values): Record<string, string> {
  const { allowedHosts, destinations } = SETTING_NAMES;
  const both = env[allowedHosts] !== undefined && env[destinations] !== undefined;
  const { HTTP_EXECUTOR_KEY_TTL_S: ttlS, HTTP_EXECUTOR_TOTAL_TIMEOUT_MS: totalMs } = valid;
  const isTooShort = Number(ttlS) * 1_000 < Number(totalMs);
  return {
    ...(both && {
      [allowedHosts]: `must not be set together with ${destinations}; remove one of them`,
    }),
    ...(isTooShort && { HTTP_EXECUTOR_KEY_TTL_S: TTL_TOO_SHORT }),
  };
}

// Otherwise, a key could expire while its execution runs, and its outcome would be forgotten at
// once.
const TTL_TOO_SHORT =
  'must not be shorter than HTTP_EXECUTOR_TOTAL_TIMEOUT_MS, because an execution would outlive its key';

const NO_STORE_WARNING =
  'HTTP_EXECUTOR_DECISION_KEYS is set without HTTP_EXECUTOR_STORE, so a decision token works once per process: another replica or a restart accepts it again until it expires';

const PROXY_WARNING =
  'HTTP_EXECUTOR_PROXY is set, so the proxy resolves the names of upstreams, and this executor cannot check their addresses; configure the proxy to refuse private networks';
