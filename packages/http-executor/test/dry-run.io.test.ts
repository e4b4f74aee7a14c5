import { shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { fakeClock } from './support/clock.ts';
import { startExecutor } from './support/executor.ts';
import { textWith } from './support/outcomes.ts';
import { resolver } from './support/resolver.ts';

const clock = fakeClock();
const { resolve } = resolver(
  {
    'api.test': [['127.0.0.1', '::1']],
    'inside.test': [['10.0.0.1']],
    'slow.test': ['never'],
  },
  () => clock.pass(100),
);
const executor = shared(() =>
  startExecutor({
    hosts: ['*.test', '0.0.0.0'],
    networks: ['127.0.0.0/8', '::1/128'],
    attemptTimeoutMs: 100,
    clock,
    resolve,
  }),
);

describe('a dry run', () => {
  it.each([
    ['get', 'GET', 3],
    ['POST', 'POST', 1],
  ])('of %s says what would happen without connecting', async (written, method, max_attempts) => {
    await using upstream = await startUpstream();
    const url = `http://api.test:${upstream.port}/?secret=1`;
    expect(await executor().dryRun({ method: written, url })).toEqual({
      outcome: 'dry_run',
      would_send: true,
      method,
      host: `api.test:${upstream.port}`,
      addresses: ['127.0.0.1', '::1'],
      max_attempts,
      message: 'The request would be sent.',
    });
    expect(upstream.connections).toBe(0);
  });

  it.each([
    ['does not resolve', 'absent.test', 'ENOTFOUND'],
    ['does not resolve in time', 'slow.test', 'in time'],
  ])('says so if the host %s', async (_name, host, message) => {
    expect(await executor().dryRun({ method: 'GET', url: `http://${host}/` })).toMatchObject({
      outcome: 'dry_run',
      would_send: false,
      addresses: [],
      message: textWith('The request would fail.', message),
    });
  });

  const url = 'http://api.test/';
  it.each([
    ['InvalidAction', { url, headers: { host: 'a' } }],
    ['HostNotAllowed', { url: 'http://elsewhere.example/' }],
    ['AddressNotAllowed', { url: 'http://inside.test/' }],
    ['AddressNotAllowed', { url: 'http://0.0.0.0:8080/' }],
    ['InvalidResponseSchema', { url, response_schema: { type: 'text' } }],
  ])('is refused like an execution: %s', async (code, members) => {
    const action = { method: 'GET', ...members };
    await expect(executor().dryRun(action)).rejects.toMatchObject({ code });
    expect((await executor().refusal(action)).code).toBe(code);
  });
});
