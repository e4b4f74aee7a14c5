import type { ServiceOptions } from '@gatehouse/client';
import {
  accessSchema,
  bindAddress,
  checkAccess,
  commonConfig,
  commonSettings,
  type Environment,
  integer,
  listOf,
  readAccess,
  readSettings,
  type ServiceConfig,
  secret,
} from '@gatehouse/service';

export interface GatewayConfig extends ServiceConfig {
  readonly executor: ServiceOptions;
  /** Undefined: the policy is evaluated in this process. */
  readonly policy: ServiceOptions | undefined;
}

const timeout = integer(1, 600_000);

const BASE_URL_FORM =
  'must be one absolute http or https URL without credentials, query or fragment';

/** The URL of a service, with or without a path in front of its own paths. */
const baseUrl = listOf(([text = '', ...more]) => {
  const url = URL.parse(text);
  const plain = url !== null && url.username + url.password + url.search + url.hash === '';
  if (!plain || more.length > 0 || !/^https?:$/.test(url.protocol)) throw new Error(BASE_URL_FORM);
  return url.href.replace(/\/+$/, '');
});

/** A token for a service. */
const bearer = secret((token) => {
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new Error('must be one token of visible ASCII characters, without spaces');
  return token;
});

const PREFIX = 'GATEWAY';

/** The settings that the gateway alone has. */
export const ownSettings = {
  GATEWAY_BIND_ADDR: bindAddress({
    default: { host: '127.0.0.1', port: 8070 },
    desc: 'Where the gateway listens.',
  }),
  GATEWAY_EXECUTOR_URL: baseUrl({
    default: 'http://127.0.0.1:8092',
    desc: 'The executor service.',
  }),
  GATEWAY_EXECUTOR_TIMEOUT_MS: timeout({
    default: 65_000,
    desc: "One execution; above the executor's own total of 60 s, so that it says what timed out.",
  }),
  GATEWAY_EXECUTOR_API_TOKEN: bearer({
    default: undefined,
    desc: "The gateway's token for the executor, sent as `authorization: Bearer`.",
  }),
  GATEWAY_POLICY_URL: baseUrl({
    default: undefined,
    desc: 'The policy service; unset, the policy is evaluated in this process.',
    example: 'http://127.0.0.1:8081',
  }),
  GATEWAY_POLICY_TIMEOUT_MS: timeout({ default: 5_000, desc: 'One check.' }),
  GATEWAY_POLICY_API_TOKEN: bearer({
    default: undefined,
    desc: "The gateway's token for the policy service.",
  }),
};

const SPECS = { ...ownSettings, ...accessSchema(PREFIX), ...commonSettings };

/**
 * The settings of the gateway; the only reader of their names.
 * @throws SettingsError listing every bad one.
 */
export function readConfig(env: Environment): GatewayConfig {
  const settings = readSettings(env, SPECS, checkAccess(PREFIX));
  const policyUrl = settings.GATEWAY_POLICY_URL;
  return {
    access: readAccess(PREFIX, settings),
    bind: settings.GATEWAY_BIND_ADDR,
    bindSetting: `${PREFIX}_BIND_ADDR`,
    ...commonConfig(settings),
    executor: {
      url: settings.GATEWAY_EXECUTOR_URL,
      timeoutMs: settings.GATEWAY_EXECUTOR_TIMEOUT_MS,
      token: settings.GATEWAY_EXECUTOR_API_TOKEN,
    },
    policy:
      policyUrl === undefined
        ? undefined
        : {
            url: policyUrl,
            timeoutMs: settings.GATEWAY_POLICY_TIMEOUT_MS,
            token: settings.GATEWAY_POLICY_API_TOKEN,
          },
  };
}
