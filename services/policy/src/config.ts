import {
  bindAddress,
  type Environment,
  oneOf,
  readServiceSettings,
  type ServiceConfig,
} from '@gatehouse/service';

export interface PolicyConfig extends ServiceConfig {
  readonly logAmounts: boolean;
}

const trueOrFalse = oneOf('true', 'false');

/** The settings that this service alone has. */
export const ownSettings = {
  POLICY_BIND_ADDR: bindAddress({
    default: { host: '0.0.0.0', port: 8081 },
    desc: 'Where the service listens.',
  }),
  POLICY_LOG_AMOUNTS: trueOrFalse({
    default: 'false',
    desc: '`true` logs the amount of each check.',
  }),
};

/** The only reader of their names. @throws SettingsError that lists every bad one. */
export function readConfig(env: Environment): PolicyConfig {
  const { settings, config } = readServiceSettings('POLICY', ownSettings, env);
  const { POLICY_BIND_ADDR: bind, POLICY_LOG_AMOUNTS } = settings;
  return { ...config, bind, logAmounts: POLICY_LOG_AMOUNTS === 'true' };
}
