import { shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { fakeClock } from './support/clock.ts';
import { type Executor, readProblem, startExecutor } from './support/executor.ts';
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
const env = {
  HTTP_EXECUTOR_ALLOWED_HOSTS: '*.test,127.0.0.1',
  HTTP_EXECUTOR_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
  HTTP_EXECUTOR_ATTEMPT_TIMEOUT_MS: '100',
};
const executor = shared(() => startExecutor({ env, clock, connect: { resolve } }));

function dryRun(
  action: object,
  query = 'dry_run=true',
  to: Executor = executor(),
): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(`${to.url}/execute?${query}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(action),
  });
}

describe('a dry run', () => {
  it.each([
    ['get', 'GET', 3],
    ['POST', 'POST', 1],
  ])('of %s says what would happen and connects nowhere', async (written, method, max_attempts) => {
    await using upstream = await startUpstream();
    const response = await dryRun({
      method: written,
      url: `http://api.test:${upstream.port}/?secret=1`,
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      outcome: 'dry_run',
      would_send: true,
      method,
      host: `api.test:${upstream.port}`,
      addresses: ['127.0.0.1', '::1'],
      max_attempts,
      message: expect.stringMatching(/./),
    });
    expect(upstream.connections).toBe(0);
  });

  it.each([
    ['does not resolve', 'absent.test', 'ENOTFOUND'],
    ['does not resolve in time', 'slow.test', 'time'],
  ])('of a host that %s says so', async (_name, host, message) => {
    const response = await dryRun({ method: 'GET', url: `http://${host}/` });
    expect(await response.json()).toMatchObject({
      outcome: 'dry_run',
      would_send: false,
      addresses: [],
      message: textWith(message),
    });
  });

  it.each([
    ['a malformed action', { method: 'BREW', url: 'http://api.test/' }, 400, 'InvalidAction'],
    [
      'a header that is refused',
      { method: 'GET', url: 'http://api.test/', headers: { host: 'a' } },
      400,
      'InvalidAction',
    ],
    [
      'a host off the allowlist',
      { method: 'GET', url: 'http://elsewhere.example/' },
      403,
      'HostNotAllowed',
    ],
    ['a refused address', { method: 'GET', url: 'http://inside.test/' }, 403, 'AddressNotAllowed'],
    [
      'a schema that is not usable',
      { method: 'GET', url: 'http://api.test/', response_schema: { type: 'text' } },
      400,
      'InvalidResponseSchema',
    ],
  ])('of %s is refused as an execution would be', async (_name, action, status, code) => {
    expect(await readProblem(await dryRun(action))).toMatchObject({ status, code });
  });

  it('is not meant by dry_run=false', async () => {
    await using upstream = await startUpstream();
    const response = await dryRun({ method: 'GET', url: upstream.origin }, 'dry_run=false');
    expect(await response.json()).toMatchObject({ outcome: 'success' });
    expect(upstream.requests).toHaveLength(1);
  });

  it.each([
    'dry_run',
    'dry_run=1',
    'dry_run=TRUE',
    'dryrun=true',
    'dry_run=true&dry_run=true',
    'other=1',
  ])('?%s is refused, and nothing is sent', async (query) => {
    await using upstream = await startUpstream();
    const response = await dryRun({ method: 'GET', url: upstream.origin }, query);
    expect((await readProblem(response)).status).toBe(400);
    expect(upstream.connections).toBe(0);
  });
});
