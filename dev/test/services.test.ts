import { describe, expect, it } from 'vitest';
import { reachableUrl, servicesOf } from '../services.ts';

describe('reachableUrl', () => {
  it.each([
    ['the IPv4 wildcard', '0.0.0.0:8081', 'http://127.0.0.1:8081'],
    ['the IPv6 wildcard', '[::]:8081', 'http://[::1]:8081'],
    ['an IPv6 address', '[::1]:8081', 'http://[::1]:8081'],
    ['a name', 'localhost:8081', 'http://localhost:8081'],
    ['an address', '192.0.2.1:8081', 'http://192.0.2.1:8081'],
    ['no port', 'localhost', undefined],
    ['a port that is too large', 'localhost:65536', undefined],
    ['nothing', '', undefined],
  ])('of %s', (_name, bind, origin) => {
    expect(reachableUrl(bind)?.origin).toBe(origin);
  });
});

describe('servicesOf', () => {
  it('knows where both services listen when nothing is set', () => {
    expect(servicesOf({}).map(({ name, bind }) => [name, bind])).toEqual([
      ['policy', '0.0.0.0:8081'],
      ['executor', '0.0.0.0:8092'],
    ]);
  });

  it('refuses a port that it could not know', () => {
    expect(() => servicesOf({ POLICY_BIND_ADDR: '127.0.0.1:0' })).toThrow(
      /^POLICY_BIND_ADDR=127.0.0.1:0: /,
    );
  });
});
