import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { METHODS } from '@gatehouse/contracts';
import { shared, startRawUpstream, startUpstream } from '@gatehouse/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../support/clock.ts';
import { startExecutor } from '../support/executor.ts';
import { record } from '../support/outcomes.ts';

const clock = fakeClock();
const executor = shared(() => startExecutor({ clock, attemptTimeoutMs: 400 }));
beforeEach(() => clock.restart());

const KEPT = ['GET', 'PUT', 'DELETE', 'OPTIONS'];
const GOOD = 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ntrue';

/**
 * Answers every request except the second one. That request arrives on the first one's connection,
 * which `spoil` then breaks.
 */
const second = (spoil: (socket: Socket) => void) => ({
  asked: (socket: Socket, request: number) =>
    request === 2 ? spoil(socket) : void socket.write(GOOD),
});

/** Ways to close a kept connection after another request has arrived on it. */
const STALE: Record<string, (socket: Socket) => void> = {
  FIN: (socket) => socket.end(),
  RST: (socket) => socket.resetAndDestroy(),
  'the first byte of an answer': (socket) => socket.end('H'),
};

const twice = async (origin: string, method: string) => {
  await executor().success({ method, url: origin });
  // undici reuses a connection only in a later turn of the event loop.
  await nextTurn();
  return executor().outcome({ method, url: origin });
};

describe('a kept connection that its upstream closes', () => {
  it('is a failed attempt, and the next one has a new connection', async () => {
    for (const [name, spoil] of Object.entries(STALE))
      for (const method of KEPT) {
        clock.restart();
        await using upstream = await startRawUpstream(second(spoil));
        expect(await twice(upstream.origin, method), `${name}, ${method}`).toMatchObject({
          outcome: 'success',
          body: true,
          attempts: 2,
          history: [record(1, 'connect', 200)],
        });
        expect(upstream).toMatchObject({ requests: 3, connections: 2 });
        expect(clock.waits).toEqual([200]);
      }
  });

  it('is not replaced by another idle one in the retry', async () => {
    const held: Socket[] = [];
    await using upstream = await startRawUpstream({
      asked: (socket, request) => {
        if (request === 3) socket.end();
        if (request > 3) socket.write(GOOD);
        if (request > 2) return;
        held.push(socket);
        if (held.length === 2) for (const each of held) each.write(GOOD);
      },
    });
    const action = { method: 'GET', url: upstream.origin };
    await Promise.all([executor().success(action), executor().success(action)]);
    expect(await executor().success(action)).toMatchObject({ attempts: 2 });
    expect(upstream).toMatchObject({ requests: 4, connections: 3 });
  });
});

describe('an idle connection', () => {
  it('serves all methods, one request after another', async () => {
    await using upstream = await startRawUpstream({
      asked: (socket) => void socket.write(GOOD),
    });
    // After a HEAD, undici closes the connection, because some servers send a body nevertheless.
    const methods = METHODS.filter((method) => method !== 'HEAD');
    for (const method of methods) {
      await executor().success({
        method,
        url: upstream.origin,
        body: method === 'POST' ? 1 : null,
      });
      await nextTurn();
    }
    expect(upstream).toMatchObject({ requests: methods.length, connections: 1 });
  });

  it('serves one POST after another, with their bodies', async () => {
    await using upstream = await startUpstream({ status: 201, body: { id: 'x'.repeat(10_000) } });
    for (let sent = 0; sent < 10; sent++) {
      await executor().success({ method: 'POST', url: upstream.origin, body: { sent } });
      await nextTurn();
    }
    expect(upstream).toMatchObject({ requests: { length: 10 }, connections: 1 });
  });

  it.each(['POST', 'PATCH'])(
    'that its upstream closes under a %s is one attempt',
    async (method) => {
      for (const spoil of Object.values(STALE)) {
        await using upstream = await startRawUpstream(second(spoil));
        await executor().success({ method, url: upstream.origin });
        await nextTurn();
        const failure = await executor().failure({ method, url: upstream.origin });
        expect(failure).toMatchObject({
          ...{ error: 'ConnectFailure', attempts: 1, history: [record(1, 'connect', 0)] },
          message: expect.stringMatching(/was lost .* It may have acted on the request\.$/),
        });
        expect(upstream).toMatchObject({ requests: 2, connections: 1 });
      }
    },
  );
});
