import { DEFAULT_ISSUER } from '@gatehouse/contracts';
import { readProfileFile, readSigningKeys } from '@gatehouse/policy/files';
import {
  bindAddress,
  type Environment,
  fileOf,
  integer,
  issuer,
  oneOf,
  parsedBy,
  parseTokens,
  readServiceSettings,
  secret,
  Tokens,
} from '@gatehouse/service';
import { approverConflicts, approversIn, bindingWarnings } from './binding-settings.ts';

const MIB = 1024 * 1024;

export type PolicyConfig = ReturnType<typeof readConfig>;

const bytes = integer(1, 256 * MIB);

const seconds = integer(1, 30 * 86_400);

const trueOrFalse = oneOf('true', 'false');

const profileFile = parsedBy((path) => {
  if (path === '') throw new Error('is empty; leave it unset to use the default profile');
  try {
    return { path, profiles: readProfileFile(path) };
  } catch (error) {
    throw new Error(`must name a valid profile file:\n${(error as Error).message}`);
  }
});

function signingKeyFile(path: string) {
  return { path, keys: readSigningKeys(path) };
}

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
  POLICY_SIGNING_KEY_FILE: parsedBy(signingKeyFile)({
    default: undefined,
    desc: 'File with Ed25519 private keys (PKCS#8, PEM) from `gatehouse keygen`. The first key signs decision tokens and approvals, and all keys are accepted. The service reloads the file when it changes and on SIGHUP.',
    example: '/run/secrets/policy-key.pem',
  }),
  POLICY_ISSUER: issuer({
    default: DEFAULT_ISSUER,
    desc: 'Issuer in everything that the service signs. Executors must have the same value in `HTTP_EXECUTOR_DECISION_ISSUER`.',
  }),
  POLICY_APPROVAL_REQUEST_TTL_S: seconds({
    default: 86_400,
    desc: 'Seconds for which an approval request can be approved.',
  }),
  POLICY_APPROVER_TOKENS: secret(parseTokens)({
    default: undefined,
    desc: "Comma-separated tokens of approvers, each as `name:token`. An approver's token works only at `/policy/approvals`, and its name and token must not be those of a caller.",
  }),
  POLICY_APPROVER_TOKENS_FILE: fileOf(parseTokens)({
    default: undefined,
    desc: 'File with additional tokens of approvers, one `name:token` per line, which is read at startup.',
    example: '/run/secrets/approvers',
  }),
  POLICY_MAX_REQUEST_BYTES: bytes({
    default: MIB,
    desc: 'Maximum size of a request body, in bytes.',
  }),
  POLICY_LOG_AMOUNTS: trueOrFalse({
    default: 'false',
    desc: 'If `true`, the log includes the amount of money in each action that is checked.',
  }),
};

/** @throws SettingsError that lists every bad setting */
export function readConfig(env: Environment) {
  const { settings, config } = readServiceSettings('POLICY', ownSettings, env, approverConflicts);
  const approvers = approversIn(settings);
  return {
    ...config,
    access: {
      ...config.access,
      ...(approvers.length > 0 && { approverTokens: new Tokens(approvers) }),
    },
    warnings: [...config.warnings, ...bindingWarnings(settings)],
    signing: settings.POLICY_SIGNING_KEY_FILE,
    issuer: settings.POLICY_ISSUER,
    requestTtlS: settings.POLICY_APPROVAL_REQUEST_TTL_S,
    bind: settings.POLICY_BIND_ADDR,
    profileFile: settings.POLICY_PROFILE_FILE,
    acceptLoosening: settings.POLICY_ACCEPT_LOOSENING === 'true',
    maxRequestBytes: settings.POLICY_MAX_REQUEST_BYTES,
    logAmounts: settings.POLICY_LOG_AMOUNTS === 'true',
  };
}
