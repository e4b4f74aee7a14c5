import { expect, it } from 'vitest';
import { banner } from '../banner.ts';

const executor = { address: '127.0.0.1', port: 8092, secure: false };

it.each([
  ['the IPv4 wildcard', '0.0.0.0', false, 'http://127.0.0.1:8081  (listening on 0.0.0.0:8081)'],
  ['the IPv6 wildcard', '::', false, 'http://[::1]:8081  (listening on [::]:8081)'],
  ['an IPv6 address', '2001:db8::1', false, 'http://[2001:db8::1]:8081'],
  ['an address, over TLS', '192.0.2.1', true, 'https://192.0.2.1:8081'],
])('the banner names a reachable URL for a service on %s', (_name, address, secure, place) => {
  const shown = banner({ policy: { address, port: 8081, secure }, executor }, {});
  expect(shown).toContain(`  policy    ${place}`);
  expect(shown.includes('/policy/check')).toBe(!secure);
});

it('the banner of one service shows only that service', () => {
  expect(banner({ policy: executor }, {})).not.toContain('executor');
});

it('the banner shows no tokens, and no commands that would need one', () => {
  const env = { POLICY_API_TOKENS: 'secret', HTTP_EXECUTOR_API_TOKENS_FILE: '/run/secret' };
  const shown = banner({ policy: executor, executor }, env);
  expect(shown).not.toMatch(/secret|curl/);
});

it.each([
  ['nothing', {}, /8092\)\n\nTry/],
  ['a signing key alone', { POLICY_SIGNING_KEY_FILE: 'k' }, /does not require them: set HTTP_EXEC/],
  ['public keys', { HTTP_EXECUTOR_DECISION_KEYS: 'k' }, /sends only what the policy service has/],
])('with %s, the banner says whether decisions bind', (_name, env, note) => {
  expect(banner({ policy: executor, executor }, env)).toMatch(note);
});
