import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { METHODS } from '@gatehouse/contracts';
import { shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { type Executor, startExecutor } from './support/executor.ts';
import { startProcess } from './support/process.ts';
import { startRawUpstream } from './support/raw-upstream.ts';

/** Longer than the first wait between two attempts. */
const LONGER_THAN_A_WAIT_MS = 350;

const executor = shared(startExecutor);

const metricsOf = async ({ url }: { url: string }) => (await fetch(`${url}/metrics`)).text();

/** Sends an action and returns what makes the caller go away. */
function call(to: Pick<Executor, 'execute'>, action: object): () => Promise<void> {
  const controller = new AbortController();
  const gone = to.execute(action, { signal: controller.signal }).then(
    () => Promise.reject(new Error('the caller got an answer')),
    () => {},
  );
  return async () => {
    controller.abort();
    await gone;
  };
}

describe('a caller that goes away', () => {
  it.each(METHODS)(
    'while %s is not answered: the upstream sees the close, and no other attempt',
    async (method) => {
      await using upstream = await startRawUpstream({});
      const leave = call(executor(), { method, url: upstream.origin });
      await expect.poll(() => upstream.requests).toBe(1);
      await leave();
      await expect.poll(() => upstream.open, { interval: 5 }).toBe(0);
      if (method === 'GET') await sleep(LONGER_THAN_A_WAIT_MS);
      expect({ requests: upstream.requests, connections: upstream.connections }).toEqual({
        requests: 1,
        connections: 1,
      });
    },
  );

  it('while a body arrives: the upstream sees the close', async () => {
    await using upstream = await startRawUpstream({
      asked: (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{'),
    });
    const leave = call(executor(), { method: 'GET', url: upstream.origin });
    await expect.poll(() => upstream.requests).toBe(1);
    await sleep(20);
    await leave();
    await expect.poll(() => upstream.open, { interval: 5 }).toBe(0);
  });

  it('between two attempts: there is no other attempt', async () => {
    await using upstream = await startUpstream({ status: 503, headers: { 'retry-after': '2' } });
    await using busy = await startExecutor({
      env: { HTTP_EXECUTOR_MAX_EXECUTIONS: '1', HTTP_EXECUTOR_MAX_WAIT_MS: '1500' },
    });
    const leave = call(busy, { method: 'GET', url: upstream.origin });
    await expect.poll(() => upstream.requests.length).toBe(1);
    await expect.poll(() => metricsOf(busy)).toMatch(/^executor_http_retry_total.* 1$/m);
    await leave();
    // Its slot is free long before its wait would have ended.
    expect((await busy.execute({ method: 'POST', url: upstream.origin })).status).toBe(200);
    expect(await metricsOf(busy)).toContain('executor_executions_total{outcome="cancelled"} 1');
    await sleep(2_000);
    expect(upstream.requests.map(({ method }) => method)).toEqual(['GET', 'POST']);
  });

  it('while its large body waits to be read: no attempt is repeated', async () => {
    await using upstream = await startUpstream({ status: 503 });
    const action = JSON.stringify({
      method: 'PUT',
      url: upstream.origin,
      body: 'x'.repeat(700_000),
    });
    const head = `POST /execute HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`;
    const callers = Array.from({ length: 20 }, async () => {
      const socket = connect(Number(new URL(executor().url).port), '127.0.0.1').on(
        'error',
        () => {},
      );
      await new Promise((sent) =>
        socket.write(`${head}content-length: ${action.length}\r\n\r\n${action}`, sent),
      );
      socket.destroy();
    });
    await Promise.all(callers);
    await sleep(2 * LONGER_THAN_A_WAIT_MS);
    expect(upstream.requests.length).toBeLessThanOrEqual(callers.length);
  });

  it('between two hops: the second one is cancelled', async () => {
    await using second = await startRawUpstream({});
    await using first = await startUpstream({ status: 307, headers: { location: second.origin } });
    const leave = call(executor(), { method: 'GET', url: first.origin });
    await expect.poll(() => second.requests).toBe(1);
    await leave();
    await expect.poll(() => second.open, { interval: 5 }).toBe(0);
  });

  it('during a TLS handshake: the socket is closed', async () => {
    // contract: "Cancels the attempt in flight".
    await using upstream = await startRawUpstream({});
    const leave = call(executor(), {
      method: 'GET',
      url: upstream.origin.replace('http://127.0.0.1', 'https://localhost'),
    });
    await expect.poll(() => upstream.connections).toBe(1);
    await leave();
    await expect.poll(() => upstream.open, { interval: 5 }).toBe(0);
  });
});

describe('a caller that goes away is nobody’s error', () => {
  it.each([
    ['while an attempt is in flight', () => startRawUpstream({}), /./],
    // contract: as above; the wait between two attempts ends like the attempt itself.
    [
      'between two attempts',
      () =>
        startRawUpstream({
          asked: (socket) => socket.write('HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n'),
        }),
      /^executor_http_retry_total.* 1$/m,
    ],
  ])('%s: no error is logged, and the service goes on', async (_name, start, under) => {
    await using upstream = await start();
    await using service = await startProcess();
    const leave = call(service, { method: 'GET', url: upstream.origin });
    await expect.poll(() => upstream.requests).toBe(1);
    await expect.poll(() => metricsOf(service)).toMatch(under);
    await leave();
    await expect
      .poll(() => metricsOf(service))
      .toContain('executor_executions_total{outcome="cancelled"} 1');
    const levels = service.lines().map(({ level }) => level);
    expect(levels).not.toContain('error');
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  });
});
