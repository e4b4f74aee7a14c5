import { describe, expect, it } from 'vitest';
import { readConfig } from '../src/config.ts';

describe('readConfig', () => {
  it('has a default for everything, and evaluates the policy in-process', () => {
    expect(readConfig({})).toEqual({
      bind: { host: '127.0.0.1', port: 8070 },
      logLevel: 'info',
      shutdownGraceMs: 10_000,
      executor: { baseUrl: 'http://127.0.0.1:8092', timeoutMs: 65_000 },
      policy: undefined,
    });
  });

  it.each([
    ['as it is', 'http://policy:8081', 'http://policy:8081'],
    ['without the trailing slash', 'http://policy:8081/', 'http://policy:8081'],
    ['with a path in front', 'https://hub.test/policy/', 'https://hub.test/policy'],
    ['of an IPv6 address', 'http://[::1]:8081', 'http://[::1]:8081'],
  ])('takes a URL %s', (_name, given, baseUrl) => {
    expect(readConfig({ POLICY_URL: given }).policy).toEqual({ baseUrl, timeoutMs: 5_000 });
  });

  it.each([
    ['nothing', ''],
    ['no scheme', 'policy:8081'],
    ['another scheme', 'ftp://policy'],
    ['credentials', 'http://user:secret@policy'],
    ['a query', 'http://policy/?a=1'],
    ['two URLs', 'http://a,http://b'],
  ])('refuses a URL with %s, naming the setting', (_name, given) => {
    expect(() => readConfig({ EXECUTOR_URL: given })).toThrow(/EXECUTOR_URL=.*: must be one absolute http/);
  });

  it('lists all bad settings at once', () => {
    const bad = { GATEWAY_BIND_ADDR: 'here', EXECUTOR_TIMEOUT_MS: '0', POLICY_TIMEOUT_MS: '600001' };
    expect(() => readConfig(bad)).toThrow(/GATEWAY_BIND_ADDR.*\n.*EXECUTOR_TIMEOUT_MS.*\n.*POLICY_TIMEOUT_MS/);
  });
});
