import { bindAddress, commonSettings, type Environment, readSettings, type ServiceConfig } from '@gatehouse/service';

/** The settings of the policy service; the only reader of their names. Throws a `SettingsError`. */
export function readConfig(env: Environment): ServiceConfig {
  const settings = readSettings(env, {
    ...commonSettings,
    POLICY_BIND_ADDR: bindAddress({ default: { host: '0.0.0.0', port: 8081 } }),
  });
  return {
    bind: settings.POLICY_BIND_ADDR,
    logLevel: settings.LOG_LEVEL,
    shutdownGraceMs: settings.SHUTDOWN_GRACE_MS,
  };
}
