import { describe, expect, it } from 'vitest';
import { readConfig } from '../src/config.ts';

describe('readConfig', () => {
  it('has the defaults of the contract', () => {
    expect(readConfig({})).toMatchObject({
      bind: { host: '0.0.0.0', port: 8081 },
      logLevel: 'info',
    });
  });

  it.each([
    ['127.0.0.1:8081', { host: '127.0.0.1', port: 8081 }],
    ['0.0.0.0:65535', { host: '0.0.0.0', port: 65535 }],
    ['localhost:0', { host: 'localhost', port: 0 }],
    ['[::1]:8081', { host: '::1', port: 8081 }],
    ['[::]:80', { host: '::', port: 80 }],
  ])('listens on %s', (text, bind) => {
    expect(readConfig({ POLICY_BIND_ADDR: text }).bind).toEqual(bind);
  });

  it.each([
    ['POLICY_BIND_ADDR', 'foo'],
    ['POLICY_BIND_ADDR', '127.0.0.1'],
    ['POLICY_BIND_ADDR', ':8081'],
    ['POLICY_BIND_ADDR', '8081'],
    ['POLICY_BIND_ADDR', '127.0.0.1:'],
    ['POLICY_BIND_ADDR', '127.0.0.1:http'],
    ['POLICY_BIND_ADDR', '127.0.0.1:65536'],
    ['POLICY_BIND_ADDR', '127.0.0.1:-1'],
    ['POLICY_BIND_ADDR', '127.0.0.1:80.5'],
    ['POLICY_BIND_ADDR', '::1:8081'],
    ['POLICY_BIND_ADDR', 'http://127.0.0.1:8081'],
    ['POLICY_BIND_ADDR', '127.0.0.1:8081 '],
    ['POLICY_LOG_AMOUNTS', 'yes'],
    ['LOG_LEVEL', 'loud'],
    ['LOG_LEVEL', 'INFO'],
    ['LOG_LEVEL', 'toString'],
    ['SHUTDOWN_GRACE_MS', '-1'],
    ['SHUTDOWN_GRACE_MS', '1.5'],
    ['SHUTDOWN_GRACE_MS', '10s'],
    ['SHUTDOWN_GRACE_MS', '1e3'],
    ['SHUTDOWN_GRACE_MS', 'Infinity'],
    ['SHUTDOWN_GRACE_MS', '99999999999999'],
  ])('refuses %s=%s, naming both', (name, value) => {
    const message = messageOf(() => readConfig({ [name]: value }));
    expect(message).toContain(name);
    expect(message).toContain(JSON.stringify(value));
  });

  it('says that an empty profile file should be left unset', () => {
    expect(messageOf(() => readConfig({ POLICY_PROFILE_FILE: '' }))).toBe(
      'POLICY_PROFILE_FILE="": is empty; leave it unset for the default policy',
    );
  });

  it('lists every bad setting, and no good one', () => {
    const message = messageOf(() =>
      readConfig({ POLICY_BIND_ADDR: 'x', LOG_LEVEL: 'info', SHUTDOWN_GRACE_MS: 'y' }),
    );
    expect(message).toContain('POLICY_BIND_ADDR');
    expect(message).toContain('SHUTDOWN_GRACE_MS');
    expect(message).not.toContain('LOG_LEVEL');
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
