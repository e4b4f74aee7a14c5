import { shared, startRawUpstream, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startExecutor } from './support/executor.ts';
import { startProcess } from './support/process.ts';

const executor = shared(startExecutor);

describe('?dry_run', () => {
  it.each([
    ['dry_run=true', { outcome: 'dry_run', would_send: true, addresses: ['127.0.0.1'] }, 0],
    ['dry_run=false', { outcome: 'success' }, 1],
    ...['dry_run', 'dry_run=1', 'dry_run=TRUE', 'dryrun=true', 'other=1'].map(
      (query): [string, object, number] => [query, { status: 400, code: 'InvalidAction' }, 0],
    ),
    ['dry_run=true&dry_run=true', { status: 400 }, 0],
  ])('%s', async (query, expected, sent) => {
    await using upstream = await startUpstream();
    const response = await fetch(`${executor().url}/execute?${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ method: 'GET', url: upstream.origin }),
    });
    expect(await response.json()).toMatchObject(expected);
    expect(upstream.connections).toBe(sent);
  });
});

describe('the trace context of the caller', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const received = async (headers: Record<string, string>, own = {}) => {
    await using upstream = await startUpstream();
    const action = { method: 'GET', url: upstream.origin, headers: own };
    expect((await executor().execute(action, { headers })).status).toBe(200);
    return upstream.requests[0]?.headers;
  };

  it('is passed on unless the action sets its own', async () => {
    const headers = { traceparent, tracestate: 'vendor=1' };
    expect(await received(headers)).toMatchObject(headers);
    const own = traceparent.replace('01', '00');
    expect((await received(headers, { Traceparent: own }))?.traceparent).toBe(own);
  });

  it('is the only header that is passed on', async () => {
    const headers = {
      authorization: 'Bearer of-the-caller',
      cookie: 'a=b',
      'x-request-id': 'r-1',
      'x-forwarded-for': '1.2.3.4',
    };
    expect(Object.keys((await received(headers)) ?? {}).sort()).toEqual([
      ...['accept', 'accept-encoding', 'connection', 'host', 'user-agent'],
    ]);
  });
});

const metricsOf = async ({ url }: { url: string }) => (await fetch(`${url}/metrics`)).text();
const cancelled = (count: number) =>
  new RegExp(`^executor_executions_total\\{outcome="cancelled"\\} ${count}$`, 'm');

describe('a caller that disconnects', () => {
  it('during or between attempts does not cause an error', async () => {
    await using silent = await startRawUpstream();
    await using failing = await startUpstream({ status: 503, headers: { 'retry-after': '2' } });
    await using service = await startProcess();
    const leave = async (url: string, when: () => Promise<unknown>) => {
      const controller = new AbortController();
      const { signal } = controller;
      const gone = service.execute({ method: 'GET', url }, { signal }).catch(() => 'gone');
      await when();
      controller.abort();
      expect(await gone).toBe('gone');
    };
    await leave(silent.origin, () => expect.poll(() => silent.requests).toBe(1));
    await expect.poll(() => metricsOf(service)).toMatch(cancelled(1));
    await expect.poll(() => silent.open).toBe(0);
    const failed = /^executor_http_attempts_total.*5xx.* 1$/m;
    await leave(failing.origin, () => expect.poll(() => metricsOf(service)).toMatch(failed));
    await expect.poll(() => metricsOf(service)).toMatch(cancelled(2));
    expect(failing.requests).toHaveLength(1);
    expect(service.lines().filter(({ level }) => level === 'error')).toEqual([]);
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  });
});
