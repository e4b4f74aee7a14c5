import {
  accessConflicts,
  accessOf,
  accessSettings,
  bindAddress,
  commonConfig,
  commonSettings,
  type Environment,
  oneOf,
  readSettings,
  type ServiceConfig,
  telemetryConfig,
  telemetrySettings,
} from '@gatehouse/service';

const PREFIX = 'POLICY';

export interface PolicyConfig extends ServiceConfig {
  /** Whether the log line of a check shows what it would spend. */
  readonly logAmounts: boolean;
}

/**
 * The settings of the policy service; the only reader of their names. Throws a
 * `SettingsError`.
 */
export function readConfig(env: Environment): PolicyConfig {
  const specs = {
    ...commonSettings,
    ...accessSettings(PREFIX),
    ...telemetrySettings,
    POLICY_BIND_ADDR: bindAddress({ default: { host: '0.0.0.0', port: 8081 } }),
    POLICY_LOG_AMOUNTS: oneOf('true', 'false')({ default: 'false' }),
  };
  const settings = readSettings(env, specs, accessConflicts(PREFIX));
  return {
    access: accessOf(PREFIX, settings),
    bind: settings.POLICY_BIND_ADDR,
    ...commonConfig(settings),
    otel: telemetryConfig(settings),
    logAmounts: settings.POLICY_LOG_AMOUNTS === 'true',
  };
}
