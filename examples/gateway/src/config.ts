import {
  bindAddress,
  commonSettings,
  type Environment,
  integer,
  listOf,
  readSettings,
  type ServiceConfig,
} from '@gatehouse/service';

/** A service that the gateway calls: its base URL without a trailing slash, and the time for one call in ms. */
export interface Upstream {
  readonly baseUrl: string;
  readonly timeoutMs: number;
}

export interface GatewayConfig extends ServiceConfig {
  readonly executor: Upstream;
  /** Undefined: the policy is evaluated in this process. */
  readonly policy: Upstream | undefined;
}

const MAX_TIMEOUT_MS = 600_000;

/** Longer than the executor's own total budget of 60 s, so that it is the executor that says what timed out. */
const EXECUTOR_TIMEOUT_MS = 65_000;

const POLICY_TIMEOUT_MS = 5_000;

const BASE_URL_FORM = 'must be one absolute http or https URL without credentials, query or fragment';

/** The URL of a service, with or without a path in front of its own paths. */
const baseUrl = listOf(([text = '', ...more]) => {
  const url = URL.parse(text);
  const plain = url !== null && url.username + url.password + url.search + url.hash === '';
  if (!plain || more.length > 0 || !/^https?:$/.test(url.protocol)) throw new Error(BASE_URL_FORM);
  return url.href.replace(/\/+$/, '');
});

/** The settings of the gateway; the only reader of their names. Throws a `SettingsError`. */
export function readConfig(env: Environment): GatewayConfig {
  const settings = readSettings(env, {
    ...commonSettings,
    GATEWAY_BIND_ADDR: bindAddress({ default: { host: '127.0.0.1', port: 8070 } }),
    EXECUTOR_URL: baseUrl({ default: 'http://127.0.0.1:8092' }),
    EXECUTOR_TIMEOUT_MS: integer(1, MAX_TIMEOUT_MS)({ default: EXECUTOR_TIMEOUT_MS }),
    POLICY_URL: baseUrl({ default: undefined }),
    POLICY_TIMEOUT_MS: integer(1, MAX_TIMEOUT_MS)({ default: POLICY_TIMEOUT_MS }),
  });
  const {
    EXECUTOR_URL,
    EXECUTOR_TIMEOUT_MS: executorTimeoutMs,
    POLICY_URL,
    POLICY_TIMEOUT_MS: policyTimeoutMs,
  } = settings;
  return {
    bind: settings.GATEWAY_BIND_ADDR,
    logLevel: settings.LOG_LEVEL,
    shutdownGraceMs: settings.SHUTDOWN_GRACE_MS,
    executor: { baseUrl: EXECUTOR_URL, timeoutMs: executorTimeoutMs },
    policy: POLICY_URL === undefined ? undefined : { baseUrl: POLICY_URL, timeoutMs: policyTimeoutMs },
  };
}
