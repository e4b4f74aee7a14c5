import { type Profiles, readProfileFile } from '@gatehouse/policy-profile';
import {
  bindAddress,
  type Environment,
  oneOf,
  parsedBy,
  readServiceSettings,
  type ServiceConfig,
} from '@gatehouse/service';

/** A profile file, and what it said at the start. */
export interface ProfileSetting {
  readonly path: string;
  readonly profiles: Profiles;
}

export interface PolicyConfig extends ServiceConfig {
  /** Whether the log shows what a check would spend. */
  readonly logAmounts: boolean;
  /** Watched and read again. Undefined: the default profile. */
  readonly profileFile: ProfileSetting | undefined;
  readonly acceptLoosening: boolean;
}

const trueOrFalse = oneOf('true', 'false');

const profileFile = parsedBy<ProfileSetting>((path) => {
  if (path === '') throw new Error('is empty; leave it unset for the default policy');
  try {
    return { path, profiles: readProfileFile(path) };
  } catch (error) {
    throw new Error(`must name a profile file without mistakes\n${(error as Error).message}`);
  }
});

/** The settings that this service alone has. */
export const ownSettings = {
  POLICY_BIND_ADDR: bindAddress({
    default: { host: '0.0.0.0', port: 8081 },
    desc: 'Where the service listens.',
  }),
  POLICY_PROFILE_FILE: profileFile({
    default: undefined,
    desc: 'The profile to judge by, in YAML or JSON; read again when it changes and on SIGHUP. Unset: the default policy.',
    example: '/etc/gatehouse/profile.yaml',
  }),
  POLICY_ACCEPT_LOOSENING: trueOrFalse({
    default: 'true',
    desc: '`false` keeps a changed profile that would answer any request more leniently out until a restart.',
  }),
  POLICY_LOG_AMOUNTS: trueOrFalse({
    default: 'false',
    desc: '`true` logs the amount of each check.',
  }),
};

/** The only reader of their names. @throws SettingsError that lists every bad one. */
export function readConfig(env: Environment): PolicyConfig {
  const { settings, config } = readServiceSettings('POLICY', ownSettings, env);
  return {
    ...config,
    bind: settings.POLICY_BIND_ADDR,
    profileFile: settings.POLICY_PROFILE_FILE,
    acceptLoosening: settings.POLICY_ACCEPT_LOOSENING === 'true',
    logAmounts: settings.POLICY_LOG_AMOUNTS === 'true',
  };
}
