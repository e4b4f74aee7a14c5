import { expect, it } from 'vitest';
import { banner } from '../banner.ts';

const executor = { address: '127.0.0.1', port: 8092, secure: false };

it.each([
  ['the IPv4 wildcard', '0.0.0.0', false, 'http://127.0.0.1:8081  (listening on 0.0.0.0:8081)'],
  ['the IPv6 wildcard', '::', false, 'http://[::1]:8081  (listening on [::]:8081)'],
  ['an IPv6 address', '2001:db8::1', false, 'http://[2001:db8::1]:8081'],
  ['an address, over TLS', '192.0.2.1', true, 'https://192.0.2.1:8081'],
])('a service on %s is reached at', (_name, address, secure, place) => {
  const shown = banner({ policy: { address, port: 8081, secure }, executor }, {});
  expect(shown).toContain(`  policy    ${place}`);
});

it('one service alone is shown alone', () => {
  expect(banner({ policy: executor }, {})).not.toContain('executor');
  expect(banner({ executor }, {})).toContain('curl -s http://127.0.0.1:8092/sandbox\n');
});

it.each([
  ['no allowlist', {}, '/execute'],
  [
    'an allowlist, which may not have the policy service',
    { HTTP_EXECUTOR_ALLOWED_HOSTS: '' },
    '/sandbox',
  ],
])('what to try of the executor, with %s', (_name, env, path) => {
  expect(banner({ policy: executor, executor }, env)).toContain(`:8092${path}`);
});

it('shows no token', () => {
  const env = { POLICY_API_TOKENS: 'secret', HTTP_EXECUTOR_API_TOKENS: 'planner:secret' };
  const shown = banner({ policy: executor, executor }, env);
  expect(shown).not.toContain('secret');
  expect(shown).toContain('{TOKEN:?one of HTTP_EXECUTOR_API_TOKENS, without its name}"');
});
