import {
  accessConflicts,
  accessOf,
  accessSettings,
  bindAddress,
  commonConfig,
  commonSettings,
  type Environment,
  readSettings,
  type ServiceConfig,
  telemetryConfig,
  telemetrySettings,
} from '@gatehouse/service';

const PREFIX = 'POLICY';

/** The settings of the policy service; the only reader of their names. Throws a `SettingsError`. */
export function readConfig(env: Environment): ServiceConfig {
  const specs = {
    ...commonSettings,
    ...accessSettings(PREFIX),
    ...telemetrySettings,
    POLICY_BIND_ADDR: bindAddress({ default: { host: '0.0.0.0', port: 8081 } }),
  };
  const settings = readSettings(env, specs, accessConflicts(PREFIX));
  return {
    access: accessOf(PREFIX, settings),
    bind: settings.POLICY_BIND_ADDR,
    ...commonConfig(settings),
    otel: telemetryConfig(settings),
  };
}
