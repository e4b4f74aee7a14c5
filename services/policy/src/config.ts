import { readProfileFile } from '@gatehouse/policy/files';
import {
  bindAddress,
  type Environment,
  integer,
  oneOf,
  parsedBy,
  readServiceSettings,
} from '@gatehouse/service';

const MIB = 1024 * 1024;

export type PolicyConfig = ReturnType<typeof readConfig>;

/** Default size limit of a request body. */
export const MAX_REQUEST_BYTES = MIB;

const bytes = integer(1, 256 * MIB);

const trueOrFalse = oneOf('true', 'false');

const profileFile = parsedBy((path) => {
  if (path === '') throw new Error('is empty; leave it unset to use the default profile');
  try {
    return { path, profiles: readProfileFile(path) };
  } catch (error) {
    throw new Error(`must name a valid profile file:\n${(error as Error).message}`);
  }
});

export const ownSettings = {
  POLICY_BIND_ADDR: bindAddress({
    default: { host: '0.0.0.0', port: 8081 },
    desc: 'Address on which the service listens. `localhost` means 127.0.0.1.',
  }),
  POLICY_PROFILE_FILE: profileFile({
    default: undefined,
    desc: 'Profile file in YAML or JSON. The service reloads the profile file when it changes and on SIGHUP. Without a profile file, the default profile applies.',
    example: '/etc/gatehouse/profile.yaml',
  }),
  POLICY_ACCEPT_LOOSENING: trueOrFalse({
    default: 'true',
    desc: 'If `false`, a profile change that makes any limit or outcome less strict takes effect only after a restart.',
  }),
  POLICY_MAX_REQUEST_BYTES: bytes({
    default: MAX_REQUEST_BYTES,
    desc: 'Maximum size of a request body, in bytes.',
  }),
  POLICY_LOG_AMOUNTS: trueOrFalse({
    default: 'false',
    desc: 'If `true`, the log includes the amount of money in each action that is checked.',
  }),
};

/** @throws SettingsError that lists every bad setting */
export function readConfig(env: Environment) {
  const { settings, config } = readServiceSettings('POLICY', ownSettings, env);
  return {
    ...config,
    bind: settings.POLICY_BIND_ADDR,
    profileFile: settings.POLICY_PROFILE_FILE,
    acceptLoosening: settings.POLICY_ACCEPT_LOOSENING === 'true',
    maxRequestBytes: settings.POLICY_MAX_REQUEST_BYTES,
    logAmounts: settings.POLICY_LOG_AMOUNTS === 'true',
  };
}
