import { describe, expect, it } from 'vitest';
import { readConfig } from '../src/config.ts';

describe('readConfig', () => {
  it('has a default for everything, and evaluates the policy in-process', () => {
    expect(readConfig({})).toEqual({
      access: { tokens: undefined, tls: undefined, corsOrigins: new Set() },
      bind: { host: '127.0.0.1', port: 8070 },
      bindSetting: 'GATEWAY_BIND_ADDR',
      logLevel: 'info',
      load: { maxInFlight: 2_000, maxEventLoopDelayMs: 500 },
      shutdownDelayMs: 0,
      shutdownGraceMs: 10_000,
      executor: { url: 'http://127.0.0.1:8092', timeoutMs: 65_000, token: undefined },
      policy: undefined,
    });
  });

  it.each([
    ['as it is', 'http://policy:8081', 'http://policy:8081'],
    ['without the trailing slash', 'http://policy:8081/', 'http://policy:8081'],
    ['with a path in front', 'https://hub.test/policy/', 'https://hub.test/policy'],
    ['of an IPv6 address', 'http://[::1]:8081', 'http://[::1]:8081'],
  ])('takes a URL %s', (_name, given, url) => {
    expect(readConfig({ GATEWAY_POLICY_URL: given }).policy).toEqual({
      url,
      timeoutMs: 5_000,
      token: undefined,
    });
  });

  it.each([
    ['nothing', ''],
    ['no scheme', 'policy:8081'],
    ['another scheme', 'ftp://policy'],
    ['credentials', 'http://user:secret@policy'],
    ['a query', 'http://policy/?a=1'],
    ['two URLs', 'http://a,http://b'],
  ])('refuses a URL with %s, naming the setting', (_name, given) => {
    expect(() => readConfig({ GATEWAY_EXECUTOR_URL: given })).toThrow(
      /GATEWAY_EXECUTOR_URL=.*: must be one absolute http/,
    );
  });

  it.each([
    ['nothing', ''],
    ['a space inside', 's3cr3t token'],
    ['two lines', 's3cr3t\ntoken'],
    ['beyond ASCII', 's3cr3té'],
  ])('refuses a token with %s, naming the setting without its value', (_name, token) => {
    for (const name of ['GATEWAY_EXECUTOR_API_TOKEN', 'GATEWAY_POLICY_API_TOKEN']) {
      expect(() => readConfig({ [name]: token })).toThrow(
        new RegExp(
          `^${name}=\\(not shown\\): must be one token of visible ASCII characters, without spaces$`,
        ),
      );
    }
  });

  it('lists all bad settings at once', () => {
    const bad = {
      GATEWAY_BIND_ADDR: 'here',
      GATEWAY_EXECUTOR_TIMEOUT_MS: '0',
      GATEWAY_POLICY_TIMEOUT_MS: '600001',
    };
    expect(() => readConfig(bad)).toThrow(
      /GATEWAY_BIND_ADDR.*\n.*GATEWAY_EXECUTOR_TIMEOUT_MS.*\n.*GATEWAY_POLICY_TIMEOUT_MS/,
    );
  });
});
