import { describe, expect, it } from 'vitest';
import { readConfig } from '../src/config.ts';

describe('the settings', () => {
  const reload = expect.any(Function);
  const corsOrigins = new Set(['https://app.test']);

  it('have the defaults of the contract', () => {
    expect(readConfig({})).toEqual({
      access: { tokens: undefined, tls: undefined, corsOrigins: new Set(), reload },
      bind: { host: '0.0.0.0', port: 8092 },
      warnings: [],
      bindSetting: 'HTTP_EXECUTOR_BIND_ADDR',
      logLevel: 'info',
      load: { maxInFlight: 2_000, maxEventLoopDelayMs: 500 },
      shutdownDelayMs: 0,
      shutdownGraceMs: 20_000,
      allowedHosts: ['localhost', '127.0.0.1', '::1'],
      allowedNetworks: [],
      decisionKeys: undefined,
      decisionIssuer: 'gatehouse-policy',
      keyTtlS: 86_400,
      upstreamCa: undefined,
      redactedHeaders: [],
      shownHeaders: [],
      headerMode: 'all',
      maxSchemaBytes: 262_144,
      limits: {
        ...{ maxExecutions: 1_000, maxExecutionsPerHost: 256, maxWaitMs: 1_000 },
        attemptTimeoutMs: 15_000,
        totalTimeoutMs: 60_000,
        maxRequestBytes: 1_048_576,
        maxResponseBytes: 10_485_760,
        maxBufferedBytes: 50_331_648,
      },
    });
  });

  it('are all read', () => {
    const env = {
      HTTP_EXECUTOR_API_TOKENS: 'secret',
      HTTP_EXECUTOR_CORS_ORIGINS: 'https://app.test',
      HTTP_EXECUTOR_BIND_ADDR: '[::1]:9000',
      HTTP_EXECUTOR_ALLOWED_HOSTS: 'API.test,*.b.test',
      HTTP_EXECUTOR_ALLOWED_NETWORKS: '10.0.0.0/8,fd00::/8',
      HTTP_EXECUTOR_DECISION_KEYS: 'https://policy.test/policy/keys',
      HTTP_EXECUTOR_DECISION_ISSUER: 'https://policy.test',
      HTTP_EXECUTOR_STORE: 'sqlite:a.db',
      HTTP_EXECUTOR_KEY_TTL_S: '60',
      HTTP_EXECUTOR_REDACTED_HEADERS: 'X-Internal, x-other',
      HTTP_EXECUTOR_SHOWN_HEADERS: 'Mcp-Session-Id',
      HTTP_EXECUTOR_HEADER_MODE: 'strict',
      HTTP_EXECUTOR_ATTEMPT_TIMEOUT_MS: '1',
      HTTP_EXECUTOR_TOTAL_TIMEOUT_MS: '2',
      HTTP_EXECUTOR_MAX_REQUEST_BYTES: '3',
      HTTP_EXECUTOR_MAX_SCHEMA_BYTES: '12',
      HTTP_EXECUTOR_MAX_RESPONSE_BYTES: '4',
      HTTP_EXECUTOR_MAX_BUFFERED_BYTES: '1048576',
      HTTP_EXECUTOR_MAX_EXECUTIONS: '6',
      HTTP_EXECUTOR_MAX_EXECUTIONS_PER_HOST: '7',
      HTTP_EXECUTOR_MAX_WAIT_MS: '8',
      LOG_LEVEL: 'debug',
      MAX_IN_FLIGHT: '9',
      MAX_EVENT_LOOP_DELAY_MS: '10',
      SHUTDOWN_DELAY_MS: '11',
      SHUTDOWN_GRACE_MS: '5',
    };
    expect(readConfig(env)).toEqual({
      access: { tokens: expect.anything(), tls: undefined, corsOrigins, reload },
      bind: { host: '::1', port: 9000 },
      warnings: [],
      bindSetting: 'HTTP_EXECUTOR_BIND_ADDR',
      logLevel: 'debug',
      load: { maxInFlight: 9, maxEventLoopDelayMs: 10 },
      shutdownDelayMs: 11,
      shutdownGraceMs: 5,
      allowedHosts: ['api.test', '*.b.test'],
      allowedNetworks: ['10.0.0.0/8', 'fd00::/8'],
      decisionKeys: { url: new URL('https://policy.test/policy/keys') },
      decisionIssuer: 'https://policy.test',
      storeLocation: { path: 'a.db' },
      keyTtlS: 60,
      upstreamCa: undefined,
      redactedHeaders: ['X-Internal', 'x-other'],
      shownHeaders: ['Mcp-Session-Id'],
      headerMode: 'strict',
      maxSchemaBytes: 12,
      limits: {
        ...{ attemptTimeoutMs: 1, totalTimeoutMs: 2, maxRequestBytes: 3, maxResponseBytes: 4 },
        maxBufferedBytes: 1_048_576,
        ...{ maxExecutions: 6, maxExecutionsPerHost: 7, maxWaitMs: 8 },
      },
    });
  });

  it('allow no host if the allowlist is empty', () => {
    expect(readConfig({ HTTP_EXECUTOR_ALLOWED_HOSTS: '' }).allowedHosts).toEqual([]);
  });
});

it('the error about a malformed network in HTTP_EXECUTOR_ALLOWED_NETWORKS names the network', () => {
  const read = () => readConfig({ HTTP_EXECUTOR_ALLOWED_NETWORKS: '10.0.0.0/8,10/8' });
  expect(read).toThrow(/^HTTP_EXECUTOR_ALLOWED_NETWORKS=.*`10\/8`.*CIDR/);
});

describe('HTTP_EXECUTOR_REDACTED_HEADERS', () => {
  it.each(['x y', 'x:', 'é', 'a;b', '"x"'])(
    'cannot contain `%s`, which the error names',
    (name) => {
      const env = { HTTP_EXECUTOR_REDACTED_HEADERS: `x-ok,${name}` };
      expect(() => readConfig(env)).toThrow(/^HTTP_EXECUTOR_REDACTED_HEADERS=/);
      expect(() => readConfig(env)).toThrow(name);
    },
  );
});

const INTEGERS = [
  'HTTP_EXECUTOR_ATTEMPT_TIMEOUT_MS',
  'HTTP_EXECUTOR_TOTAL_TIMEOUT_MS',
  'HTTP_EXECUTOR_MAX_REQUEST_BYTES',
  'HTTP_EXECUTOR_MAX_SCHEMA_BYTES',
  'HTTP_EXECUTOR_MAX_RESPONSE_BYTES',
];

it.each(INTEGERS)('%s must be a whole number from 1', (name) => {
  const message = `${name}="0": must be a whole number from 1 to `;
  expect(() => readConfig({ [name]: '0' })).toThrow(message);
});

describe('HTTP_EXECUTOR_PROXY', () => {
  const read = (HTTP_EXECUTOR_PROXY: string) => readConfig({ HTTP_EXECUTOR_PROXY });

  it('warns that addresses are not checked, without its password', () => {
    const { proxy, warnings } = read('http://user:p%40ss@proxy.test:3128');
    expect(proxy).toBe('http://user:p%40ss@proxy.test:3128/');
    expect(warnings).toEqual([expect.stringContaining('cannot check their addresses')]);
    expect(warnings?.join()).not.toContain('p%40ss');
  });

  it.each(['', 'proxy.test:3128', 'socks5://user:p4ss@proxy.test', 'http://user:p4ss%@proxy.test'])(
    'does not accept %j, and does not show it',
    (text) => {
      expect(() => read(text)).toThrow(
        'HTTP_EXECUTOR_PROXY=(not shown): must be an http or https URL',
      );
      expect(() => read(text)).not.toThrow('p4ss');
    },
  );
});

describe('HTTP_EXECUTOR_STORE', () => {
  const read = (HTTP_EXECUTOR_STORE: string) => readConfig({ HTTP_EXECUTOR_STORE }).storeLocation;

  it.each([
    ['sqlite:a.db', { path: 'a.db' }],
    ['sqlite:/var/lib/a b.db', { path: '/var/lib/a b.db' }],
    ['postgres://me:pw@db:5432/x', { url: 'postgres://me:pw@db:5432/x' }],
    ['postgresql:///x', { url: 'postgresql:///x' }],
  ])('accepts %s', (text, location) => {
    expect(read(text)).toEqual(location);
  });

  it.each([
    '',
    'sqlite:',
    'sqlite:///a.db',
    'a.db',
    'mysql://me:p4ss@db/x',
    'postgres//me:p4ss@db',
  ])('does not accept %j, and does not show it', (text) => {
    expect(() => read(text)).toThrow('HTTP_EXECUTOR_STORE=(not shown): must be `sqlite:PATH`');
    expect(() => read(text)).not.toThrow('p4ss');
  });

  it.each(['59', '31536001', '1.5'])('keeps keys for no time such as %s', (time) => {
    const message = `HTTP_EXECUTOR_KEY_TTL_S="${time}": must be a whole number from 60 to 31536000`;
    expect(() => readConfig({ HTTP_EXECUTOR_KEY_TTL_S: time })).toThrow(message);
  });

  it.each(['3600000', '60001'])('keeps keys at least as long as an execution of %s ms', (total) => {
    const read = (HTTP_EXECUTOR_KEY_TTL_S: string) =>
      readConfig({ HTTP_EXECUTOR_TOTAL_TIMEOUT_MS: total, HTTP_EXECUTOR_KEY_TTL_S });
    const least = Math.ceil(Number(total) / 1_000);
    expect(read(String(least)).keyTtlS).toBe(least);
    expect(() => read(String(least - 1))).toThrow(
      `HTTP_EXECUTOR_KEY_TTL_S="${least - 1}": must not be shorter than HTTP_EXECUTOR_TOTAL_TIMEOUT_MS`,
    );
  });

  it('prevents the warning that decision tokens work once per process', () => {
    const HTTP_EXECUTOR_DECISION_KEYS = 'https://policy.test/policy/keys';
    expect(readConfig({ HTTP_EXECUTOR_DECISION_KEYS }).warnings).toEqual([
      expect.stringMatching(/^HTTP_EXECUTOR_DECISION_KEYS .* without HTTP_EXECUTOR_STORE/),
    ]);
  });
});
