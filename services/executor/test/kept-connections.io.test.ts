import type { Socket } from 'node:net';
import { METHODS } from '@gatehouse/contracts';
import { shared } from '@gatehouse/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from './support/clock.ts';
import { startExecutor } from './support/executor.ts';
import { textWith } from './support/outcomes.ts';
import { startRawUpstream } from './support/raw-upstream.ts';
import { resolver } from './support/resolver.ts';

const clock = fakeClock();
const env = { HTTP_EXECUTOR_ATTEMPT_TIMEOUT_MS: '400' };
const executor = shared(() => startExecutor({ clock, env }));
beforeEach(() => clock.restart());

const KEPT = ['GET', 'PUT', 'DELETE', 'OPTIONS'];
const GOOD = 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ntrue';

/** Answers, but the second request of all in this way, on the connection of the first. */
const second = (spoil: (socket: Socket) => void) => ({
  asked: (socket: Socket, request: number) =>
    request === 2 ? spoil(socket) : void socket.write(GOOD),
});

const STALE: Record<string, (socket: Socket) => void> = {
  FIN: (socket) => socket.end(),
  RST: (socket) => socket.resetAndDestroy(),
};

const twice = async (origin: string, method: string) => {
  await executor().success({ method, url: origin });
  return executor().outcome({ method, url: origin });
};

describe('a kept connection that its upstream has closed', () => {
  it('before anything of an answer: the request goes out at once on a fresh one', async () => {
    for (const [name, spoil] of Object.entries(STALE))
      for (const method of KEPT) {
        await using upstream = await startRawUpstream(second(spoil));
        expect(await twice(upstream.origin, method), `${name}, ${method}`).toMatchObject({
          ...{ outcome: 'success', body: true, attempts: 1, history: [] },
        });
        expect(upstream).toMatchObject({ requests: 3, connections: 2 });
      }
    expect(clock.waits).toEqual([]);
  });

  it('after the first byte of an answer, or a 100: counts as an attempt', async () => {
    for (const byte of ['H', 'HTTP/1.1 100 Continue\r\n\r\n', '\r\n']) {
      clock.restart();
      await using upstream = await startRawUpstream(second((socket) => socket.end(byte)));
      expect(await twice(upstream.origin, 'GET')).toMatchObject({
        ...{ outcome: 'success', attempts: 2, history: [{ classification: 'connect' }] },
      });
      expect(clock.waits).toEqual([200]);
    }
  });

  it('and the fresh one, too: counts once', async () => {
    await using upstream = await startRawUpstream({
      asked: (socket, request) => (request === 1 ? void socket.write(GOOD) : socket.end()),
    });
    expect(await twice(upstream.origin, 'GET')).toMatchObject({ attempts: 3 });
    expect(upstream).toMatchObject({ requests: 5, connections: 4 });
  });

  it('POST and PATCH have no kept connection: they are sent once, whatever was before', async () => {
    for (const method of METHODS.filter((each) => !KEPT.includes(each) && each !== 'HEAD')) {
      await using upstream = await startRawUpstream(second((socket) => socket.end()));
      await executor().success({ method: 'GET', url: upstream.origin });
      const { attempts } = await executor().failure({ method, url: upstream.origin });
      expect(attempts).toBe(1);
      expect(upstream).toMatchObject({ requests: 2, connections: 2 });
    }
  });
});

describe('the fresh connection', () => {
  it('has the rest of the time of the attempt, and says who may have acted', async () => {
    await using upstream = await startRawUpstream({
      asked: (socket, request) => {
        if (request === 1) socket.write(GOOD);
        else clock.pass(request === 2 ? 150 : request === 3 ? 250 : 400);
        if (request === 2) socket.end();
      },
    });
    const outcome = await twice(upstream.origin, 'GET');
    expect(outcome).toMatchObject({
      ...{ attempts: 3, history: [{ classification: 'timeout' }, {}, {}] },
      last_error: { message: textWith('within 400 ms; it may have acted on the request.') },
    });
    expect(upstream.requests).toBe(5);
    await expect.poll(() => upstream.open, { interval: 5 }).toBe(0);
  });

  it('is closed when the caller goes away', async () => {
    await using upstream = await startRawUpstream({
      asked: (socket, request) => {
        if (request === 1) socket.write(GOOD);
        if (request === 2) socket.end();
      },
    });
    await executor().success({ method: 'GET', url: upstream.origin });
    const controller = new AbortController();
    const action = { method: 'GET', url: upstream.origin };
    const gone = executor().execute(action, { signal: controller.signal });
    await expect.poll(() => upstream.requests, { interval: 1 }).toBe(3);
    controller.abort();
    await expect(gone).rejects.toMatchObject({ name: 'AbortError' });
    await expect.poll(() => upstream.open, { interval: 5 }).toBe(0);
    expect(upstream.requests).toBe(3);
  });

  it('leads to no address that the sandbox refuses, and is no refusal either', async () => {
    const { resolve } = resolver({ 'api.test': [['127.0.0.1'], ['10.0.0.1']] });
    await using own = await startExecutor({
      env: { HTTP_EXECUTOR_ALLOWED_HOSTS: '*.test', HTTP_EXECUTOR_ALLOWED_NETWORKS: '127.0.0.0/8' },
      connect: { resolve },
      clock,
    });
    await using upstream = await startRawUpstream(second((socket) => socket.end()));
    const action = { method: 'GET', url: `http://api.test:${upstream.port}/` };
    await own.success(action);
    expect(await own.failure(action)).toMatchObject({
      error: 'ConnectFailure',
      attempts: 2,
      history: [{ attempt: 1, classification: 'connect' }],
    });
    expect(upstream.requests).toBe(2);
  });
});
