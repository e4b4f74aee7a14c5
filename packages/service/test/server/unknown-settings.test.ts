import { describe, expect, it } from 'vitest';
import { integer, oneOf, readServiceSettings, SettingsError } from '../../src/index.ts';

const OWN = {
  HTTP_EXECUTOR_BIND_ADDR: oneOf('x')({ default: 'x' }),
  HTTP_EXECUTOR_ALLOWED_HOSTS: oneOf('x')({ default: 'x' }),
  HTTP_EXECUTOR_MAX_WAIT_MS: integer(0, 1)({ default: 0 }),
};

const read = (env: Record<string, string>) => readServiceSettings('HTTP_EXECUTOR', OWN, env);

const MISSPELT: [given: string, meant: string][] = [
  ['HTTP_EXECUTOR_API_TOKEN', 'HTTP_EXECUTOR_API_TOKENS'],
  ['HTTP_EXECUTOR_API_TOKNES', 'HTTP_EXECUTOR_API_TOKENS'],
  ['HTTP_EXECUTOR_API_TOKEN_FILE', 'HTTP_EXECUTOR_API_TOKENS_FILE'],
  ['HTTP_EXECUTOR_API_TOKENS_FIL', 'HTTP_EXECUTOR_API_TOKENS_FILE'],
  ['HTTP_EXECUTOR_APITOKENS', 'HTTP_EXECUTOR_API_TOKENS'],
  ['HTTP_EXECUTOR_TOKENS', 'HTTP_EXECUTOR_API_TOKENS'],
  ['HTTP_EXECUTOR_ALLOW_HOSTS', 'HTTP_EXECUTOR_ALLOWED_HOSTS'],
  ['HTTP_EXECUTOR_ALLOWED_HOST', 'HTTP_EXECUTOR_ALLOWED_HOSTS'],
  ['HTTP_EXECUTOR_ALLOWED_HOSTS_FILE', 'HTTP_EXECUTOR_ALLOWED_HOSTS'],
  ['HTTP_EXECUTOR_HOSTS', 'HTTP_EXECUTOR_ALLOWED_HOSTS'],
  ['HTTP_EXECUTOR_API', 'HTTP_EXECUTOR_API_TOKENS'],
  ['HTTP_EXECUTOR_API_TOKENS_FILE_PATH', 'HTTP_EXECUTOR_API_TOKENS_FILE'],
  ['HTTP_EXECUTOR_BIND', 'HTTP_EXECUTOR_BIND_ADDR'],
  ['HTTP_EXECUTOR_BIND_ADDRESS', 'HTTP_EXECUTOR_BIND_ADDR'],
  ['HTTP_EXECUTOR_MAX_WAIT', 'HTTP_EXECUTOR_MAX_WAIT_MS'],
  ['HTTP_EXECUTOR_TLS_CERT', 'HTTP_EXECUTOR_TLS_CERT_FILE'],
  ['HTTP_EXECUTOR_TLS', 'HTTP_EXECUTOR_TLS_CERT_FILE or HTTP_EXECUTOR_TLS_KEY_FILE'],
  ['HTTP_EXECUTOR_TLS_CA_FILE', 'HTTP_EXECUTOR_TLS_CLIENT_CA_FILE'],
  ['HTTP_EXECUTOR_TLS_KEY_FIEL', 'HTTP_EXECUTOR_TLS_KEY_FILE'],
  ['http_executor_api_tokens', 'HTTP_EXECUTOR_API_TOKENS'],
  ['HTTP_EXECUTOR_LOG_LEVEL', 'LOG_LEVEL'],
];

const UNKNOWN = [
  'HTTP_EXECUTOR_',
  'HTTP_EXECUTOR_URL',
  'HTTP_EXECUTOR_PORT',
  'HTTP_EXECUTOR_PORT_8092',
  'HTTP_EXECUTOR_SERVICE',
  'HTTP_EXECUTOR_VERSION',
  'HTTP_EXECUTOR_(',
  'HTTP_EXECUTOR_MAX_RESPONSE_BYTES',
];

/** Variables that Kubernetes 1.34 sets for services `http-executor` and `http-executor-b`. */
const KUBERNETES = {
  HTTP_EXECUTOR_SERVICE_HOST: '10.96.17.4',
  HTTP_EXECUTOR_SERVICE_PORT: '8092',
  HTTP_EXECUTOR_SERVICE_PORT_HTTP: '8092',
  HTTP_EXECUTOR_PORT: 'tcp://10.96.17.4:8092',
  HTTP_EXECUTOR_PORT_8092_TCP: 'tcp://10.96.17.4:8092',
  HTTP_EXECUTOR_PORT_8092_TCP_PROTO: 'tcp',
  HTTP_EXECUTOR_PORT_8092_TCP_PORT: '8092',
  HTTP_EXECUTOR_PORT_8092_TCP_ADDR: '10.96.17.4',
  HTTP_EXECUTOR_PORT_53_UDP: 'udp://10.96.17.4:53',
  HTTP_EXECUTOR_B_SERVICE_HOST: '10.96.17.5',
  HTTP_EXECUTOR_B_PORT: 'tcp://10.96.17.5:80',
};

describe('a variable with the prefix of a service', () => {
  it.each(MISSPELT)('%s probably means %s', (given, meant) => {
    const message = `${given}=(not shown): is not a setting; rename it to ${meant} if you meant that, or remove it`;
    expect(() => read({ [given]: 'tok-secret' })).toThrow(new SettingsError(message));
  });

  it.each([
    'LOGLEVEL',
    'SHUTDOWN_GRACE',
    'MAX_DELAY',
    'SHUTDOWN',
    'SHUTDOWN_TIMEOUT',
    'APP_LOG_LEVEL',
  ])('%s belongs to another program', (name) => {
    expect(read({ [name]: 'x' }).config.warnings).toEqual([]);
  });

  it.each(UNKNOWN)('causes a warning if it is not a setting: %s', (name) => {
    const { warnings } = read({ [name]: 'x' }).config;
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(`${name} is not a setting of this service and is ignored`);
  });

  it('says which setting chooses the port', () => {
    expect(read({ HTTP_EXECUTOR_PORT: '9001' }).config.warnings).toEqual([
      'HTTP_EXECUTOR_PORT is not a setting of this service and is ignored; to choose the port, set HTTP_EXECUTOR_BIND_ADDR',
    ]);
  });

  it('is ignored if Kubernetes sets it', () => {
    expect(read(KUBERNETES).config.warnings).toEqual([]);
  });

  it('is reported together with bad values', () => {
    const env = { HTTP_EXECUTOR_MAX_WAIT_MS: '2', HTTP_EXECUTOR_API_TOKEN: 'a', POLICY_BIND: 'x' };
    expect(() => read(env)).toThrow(
      /^HTTP_EXECUTOR_API_TOKEN=.*\nHTTP_EXECUTOR_MAX_WAIT_MS="2": must be [^\n]*$/,
    );
  });
});
