import {
  type ConcurrencyLimits,
  type ExecutionLimits,
  HEADER_NAME,
  type HeaderMode,
  parseAllowlist,
  parseNetworks,
  type SettingNames,
} from '@gatehouse/http-executor';
import {
  accessConflicts,
  accessOf,
  accessSettings,
  bindAddress,
  commonConfig,
  commonSettings,
  type Environment,
  integer,
  listOf,
  oneOf,
  readSettings,
  type ServiceConfig,
  telemetryConfig,
  telemetrySettings,
} from '@gatehouse/service';

const PREFIX = 'HTTP_EXECUTOR';

const MIB = 1024 * 1024;

/** Spec `http-executor.md` section 8. */
const DEFAULT_ALLOWED_HOSTS = ['localhost', '127.0.0.1', '::1'];

/** For messages that tell an operator what to change. */
export const SETTING_NAMES: SettingNames = {
  allowedHosts: `${PREFIX}_ALLOWED_HOSTS`,
  allowedNetworks: `${PREFIX}_ALLOWED_NETWORKS`,
  maxExecutions: `${PREFIX}_MAX_EXECUTIONS`,
  maxExecutionsPerHost: `${PREFIX}_MAX_EXECUTIONS_PER_HOST`,
};

export interface ExecutorConfig extends ServiceConfig {
  readonly allowedHosts: readonly string[];
  readonly allowedNetworks: readonly string[];
  readonly redactedHeaders: readonly string[];
  readonly shownHeaders: readonly string[];
  readonly headerMode: HeaderMode;
  readonly maxRequestBytes: number;
  readonly limits: ExecutionLimits;
  readonly concurrency: ConcurrencyLimits;
}

/**
 * The settings of the executor; the only reader of their names. Throws a `SettingsError`.
 */
export function readConfig(env: Environment): ExecutorConfig {
  const specs = {
    ...commonSettings,
    ...accessSettings(PREFIX),
    ...telemetrySettings,
    HTTP_EXECUTOR_BIND_ADDR: bindAddress({ default: { host: '0.0.0.0', port: 8092 } }),
    HTTP_EXECUTOR_ALLOWED_HOSTS: listOf((texts) => parseAllowlist(texts).entries)({
      default: DEFAULT_ALLOWED_HOSTS,
    }),
    HTTP_EXECUTOR_ALLOWED_NETWORKS: listOf(networks)({ default: [] }),
    HTTP_EXECUTOR_REDACTED_HEADERS: listOf(headerNames)({ default: [] }),
    HTTP_EXECUTOR_SHOWN_HEADERS: listOf(headerNames)({ default: [] }),
    HTTP_EXECUTOR_HEADER_MODE: oneOf('all', 'strict')({ default: 'all' }),
    HTTP_EXECUTOR_ATTEMPT_TIMEOUT_MS: integer(1, 600_000)({ default: 15_000 }),
    HTTP_EXECUTOR_TOTAL_TIMEOUT_MS: integer(1, 3_600_000)({ default: 60_000 }),
    HTTP_EXECUTOR_MAX_EXECUTIONS: integer(1, 100_000)({ default: 1_000 }),
    HTTP_EXECUTOR_MAX_EXECUTIONS_PER_HOST: integer(1, 100_000)({ default: 256 }),
    HTTP_EXECUTOR_MAX_WAIT_MS: integer(0, 60_000)({ default: 1_000 }),
    HTTP_EXECUTOR_MAX_REQUEST_BYTES: integer(1, 256 * MIB)({ default: MIB }),
    HTTP_EXECUTOR_MAX_RESPONSE_BYTES: integer(1, 256 * MIB)({ default: 10 * MIB }),
  };
  const settings = readSettings(env, specs, accessConflicts(PREFIX));
  return {
    access: accessOf(PREFIX, settings),
    bind: settings.HTTP_EXECUTOR_BIND_ADDR,
    ...commonConfig(settings),
    otel: telemetryConfig(settings),
    allowedHosts: settings.HTTP_EXECUTOR_ALLOWED_HOSTS,
    allowedNetworks: settings.HTTP_EXECUTOR_ALLOWED_NETWORKS,
    redactedHeaders: settings.HTTP_EXECUTOR_REDACTED_HEADERS,
    shownHeaders: settings.HTTP_EXECUTOR_SHOWN_HEADERS,
    headerMode: settings.HTTP_EXECUTOR_HEADER_MODE,
    maxRequestBytes: settings.HTTP_EXECUTOR_MAX_REQUEST_BYTES,
    concurrency: {
      maxExecutions: settings.HTTP_EXECUTOR_MAX_EXECUTIONS,
      maxExecutionsPerHost: settings.HTTP_EXECUTOR_MAX_EXECUTIONS_PER_HOST,
      maxWaitMs: settings.HTTP_EXECUTOR_MAX_WAIT_MS,
    },
    limits: {
      attemptTimeoutMs: settings.HTTP_EXECUTOR_ATTEMPT_TIMEOUT_MS,
      totalTimeoutMs: settings.HTTP_EXECUTOR_TOTAL_TIMEOUT_MS,
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
    throw new Error(`${malformed.join(', ')} is malformed; use header names`);
  return names.map((name) => name.toLowerCase());
}
