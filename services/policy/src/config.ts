import {
  accessSchema,
  bindAddress,
  checkAccess,
  commonConfig,
  commonSettings,
  type Environment,
  oneOf,
  readAccess,
  readSettings,
  type ServiceConfig,
  telemetryConfig,
  telemetrySettings,
} from '@gatehouse/service';

const PREFIX = 'POLICY';

export interface PolicyConfig extends ServiceConfig {
  /** Whether the log line of a check shows the amount. */
  readonly logAmounts: boolean;
}

/** The settings that this service alone has. */
export const ownSettings = {
  POLICY_BIND_ADDR: bindAddress({
    default: { host: '0.0.0.0', port: 8081 },
    desc: 'Where the service listens.',
  }),
  POLICY_LOG_AMOUNTS: oneOf(
    'true',
    'false',
  )({
    default: 'false',
    desc: '`true` logs the amount of each check.',
  }),
};

const SPECS = {
  ...ownSettings,
  ...accessSchema(PREFIX),
  ...commonSettings,
  ...telemetrySettings,
};

/**
 * The settings of the policy service; the only reader of their names.
 * @throws SettingsError listing every bad one.
 */
export function readConfig(env: Environment): PolicyConfig {
  const settings = readSettings(env, SPECS, checkAccess(PREFIX));
  return {
    access: readAccess(PREFIX, settings),
    bind: settings.POLICY_BIND_ADDR,
    ...commonConfig(settings),
    otel: telemetryConfig(settings),
    logAmounts: settings.POLICY_LOG_AMOUNTS === 'true',
  };
}
