import { connect } from 'node:net';
import { METHODS } from '@gatehouse/contracts';
import { shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { fakeClock } from './support/clock.ts';
import { type Executor, startExecutor } from './support/executor.ts';
import { startProcess } from './support/process.ts';
import { startRawUpstream } from './support/raw-upstream.ts';

// Waits pass at once, so that another attempt would be seen at once.
const executor = shared(() => startExecutor({ clock: fakeClock() }));
const elsewhere = shared(startUpstream);

const metricsOf = async ({ url }: { url: string }) => (await fetch(`${url}/metrics`)).text();
const cancelled = (count: number) =>
  new RegExp(`^executor_executions_total\\{outcome="cancelled"\\} ${count}$`, 'm');

/** Another execution, after which what was sent to the executor before has arrived. */
const exchange = () => executor().success({ method: 'GET', url: elsewhere().origin });

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

/** A clock on which the waits between attempts end when a test says so, or are aborted. */
function stoppedClock() {
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const wait = (_ms: number, signal: AbortSignal) =>
    Promise.race([
      over,
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
    ]);
  return { ...fakeClock(), wait, end };
}

describe('a caller that goes away', () => {
  it('while any method is not answered: the upstream sees the close, and no other attempt', async () => {
    for (const [n, method] of METHODS.entries()) {
      await using upstream = await startRawUpstream({});
      const leave = call(executor(), { method, url: upstream.origin });
      await expect.poll(() => upstream.requests, { interval: 5 }).toBe(1);
      await leave();
      await expect.poll(() => upstream.open, { interval: 5 }).toBe(0);
      await expect.poll(() => metricsOf(executor())).toMatch(cancelled(n + 1));
      await exchange();
      const { requests, connections } = upstream;
      expect({ requests, connections }, method).toEqual({ requests: 1, connections: 1 });
    }
  });

  it('while a body arrives: the upstream sees the close', async () => {
    await using upstream = await startRawUpstream({
      asked: (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{'),
    });
    const leave = call(executor(), { method: 'GET', url: upstream.origin });
    await expect.poll(() => upstream.requests).toBe(1);
    await exchange();
    await leave();
    await expect.poll(() => upstream.open, { interval: 5 }).toBe(0);
  });

  it('between two attempts: there is no other attempt, and its slot is free at once', async () => {
    await using upstream = await startUpstream({ status: 503 });
    const clock = stoppedClock();
    await using busy = await startExecutor({
      clock,
      env: { HTTP_EXECUTOR_MAX_EXECUTIONS: '1', HTTP_EXECUTOR_MAX_WAIT_MS: '60000' },
    });
    const leave = call(busy, { method: 'GET', url: upstream.origin });
    await expect.poll(() => metricsOf(busy)).toMatch(/^executor_http_retry_total.* 1$/m);
    await leave();
    expect((await busy.execute({ method: 'POST', url: upstream.origin })).status).toBe(200);
    expect(await metricsOf(busy)).toMatch(cancelled(1));
    clock.end();
    await busy.success({ method: 'GET', url: elsewhere().origin });
    expect(upstream.requests.map(({ method }) => method)).toEqual(['GET', 'POST']);
  });

  it('while its large body waits to be read: no attempt is repeated', async () => {
    await using upstream = await startUpstream({ status: 503 });
    await using busy = await startExecutor({ clock: fakeClock() });
    const action = JSON.stringify({
      method: 'PUT',
      url: upstream.origin,
      body: 'x'.repeat(700_000),
    });
    const head = `POST /execute HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`;
    const callers = Array.from({ length: 20 }, async () => {
      const socket = connect(Number(new URL(busy.url).port), '127.0.0.1').on('error', () => {});
      await new Promise((sent) =>
        socket.write(`${head}content-length: ${action.length}\r\n\r\n${action}`, sent),
      );
      socket.destroy();
    });
    await Promise.all(callers);
    await busy.arrived(callers.length);
    // The request that asks is one itself.
    await expect.poll(() => metricsOf(busy)).toMatch(/^http_server_active_requests\b.* 1$/m);
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
  it('during an attempt and between two: no error is logged, and the service goes on', async () => {
    await using silent = await startRawUpstream({});
    await using failing = await startUpstream({ status: 503, headers: { 'retry-after': '2' } });
    await using service = await startProcess();
    const during = call(service, { method: 'GET', url: silent.origin });
    await expect.poll(() => silent.requests).toBe(1);
    await during();
    await expect.poll(() => metricsOf(service)).toMatch(cancelled(1));
    // contract: the wait between two attempts ends like the attempt itself.
    const between = call(service, { method: 'GET', url: failing.origin });
    await expect.poll(() => metricsOf(service)).toMatch(/^executor_http_retry_total.* 1$/m);
    await between();
    await expect.poll(() => metricsOf(service)).toMatch(cancelled(2));
    expect(service.lines().filter(({ level }) => level === 'error')).toEqual([]);
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  });
});
