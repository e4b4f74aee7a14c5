import { describe, expect, it } from 'vitest';
import { readConfig } from '../src/config.ts';

describe('readConfig', () => {
  it('has the defaults of the contract', () => {
    expect(readConfig({})).toMatchObject({
      bind: { host: '0.0.0.0', port: 8081 },
      logLevel: 'info',
      profileFile: undefined,
      acceptLoosening: true,
      logAmounts: false,
    });
  });

  it('reads every setting', () => {
    const env = {
      POLICY_BIND_ADDR: '[::1]:8082',
      POLICY_ACCEPT_LOOSENING: 'false',
      POLICY_LOG_AMOUNTS: 'true',
    };
    expect(readConfig(env)).toMatchObject({
      bind: { host: '::1', port: 8082 },
      acceptLoosening: false,
      logAmounts: true,
    });
  });

  it('lists every bad setting with its value, and no good setting', () => {
    const bad = {
      POLICY_BIND_ADDR: '8081',
      POLICY_LOG_AMOUNTS: 'yes',
      POLICY_ACCEPT_LOOSENING: '1',
      SHUTDOWN_GRACE_MS: '10s',
    };
    const message = messageOf(() => readConfig({ ...bad, LOG_LEVEL: 'info' }));
    for (const [name, value] of Object.entries(bad))
      expect(message).toContain(`${name}=${JSON.stringify(value)}`);
    expect(message).not.toContain('LOG_LEVEL');
  });

  it('says that an empty profile file should be left unset', () => {
    expect(messageOf(() => readConfig({ POLICY_PROFILE_FILE: '' }))).toBe(
      'POLICY_PROFILE_FILE="": is empty; leave it unset to use the default profile',
    );
  });

  it('names every setting that POLICY_TOKENS could mean', () => {
    expect(messageOf(() => readConfig({ POLICY_TOKENS: 'a' }))).toContain(
      'rename it to POLICY_APPROVER_TOKENS or POLICY_API_TOKENS if you meant that',
    );
  });
});

function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return expect.fail('nothing was thrown');
}
