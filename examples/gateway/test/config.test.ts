import { describe, expect, it } from 'vitest';
import { readConfig } from '../src/config.ts';

describe('readConfig', () => {
  it('has a default for everything, and evaluates the policy in-process', () => {
    expect(readConfig({})).toEqual({
      bind: { host: '127.0.0.1', port: 8070 },
      logLevel: 'info',
      token: undefined,
      approverToken: undefined,
      executor: { url: 'http://127.0.0.1:8092', token: undefined },
      policy: undefined,
    });
  });

  it('reads all settings', () => {
    const env = {
      GATEWAY_BIND_ADDR: '[::1]:0',
      GATEWAY_API_TOKEN: 'a',
      GATEWAY_POLICY_URL: 'https://hub.test/policy',
      GATEWAY_POLICY_API_TOKEN: 'b',
      GATEWAY_EXECUTOR_API_TOKEN: 'c',
    };
    expect(readConfig(env)).toMatchObject({
      bind: { host: '::1', port: 0 },
      token: 'a',
      policy: { url: 'https://hub.test/policy', token: 'b' },
      executor: { token: 'c' },
    });
  });

  it('does not let planners approve their own steps', () => {
    const env = { GATEWAY_API_TOKEN: 's3cr3t', GATEWAY_APPROVER_TOKEN: 's3cr3t' };
    expect(() => readConfig(env)).toThrow(/^GATEWAY_APPROVER_TOKEN: must differ/);
    expect(readConfig({ ...env, GATEWAY_API_TOKEN: 'other' }).approverToken).toBe('s3cr3t');
  });

  it('lists all invalid settings at once, without tokens', () => {
    const bad = {
      GATEWAY_BIND_ADDR: 'here:65536',
      GATEWAY_EXECUTOR_URL: 'executor',
      GATEWAY_LOG_LEVEL: 'loud',
      GATEWAY_API_TOKEN: 's3cr3t token',
      GATEWAY_POLICY_API_TOKEN: '',
    };
    expect(() => readConfig(bad)).toThrow(
      /^GATEWAY_BIND_ADDR: .*here:65536.*\nGATEWAY_API_TOKEN: must be visible.*\nGATEWAY_EXECUTOR_URL: .*\nGATEWAY_POLICY_API_TOKEN: must be visible.*\nGATEWAY_LOG_LEVEL: .*$/,
    );
    expect(() => readConfig(bad)).not.toThrow(/s3cr3t/);
  });
});
