import type { Socket } from 'node:net';
import { METHODS } from '@gatehouse/contracts';
import { shared, startRawUpstream } from '@gatehouse/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from './support/clock.ts';
import { startExecutor } from './support/executor.ts';
import { record } from './support/outcomes.ts';

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

describe('a new connection', () => {
  it('is opened for each POST and PATCH', async () => {
    for (const method of METHODS.filter((each) => !KEPT.includes(each) && each !== 'HEAD')) {
      await using upstream = await startRawUpstream(second((socket) => socket.end()));
      await executor().success({ method: 'GET', url: upstream.origin });
      const { attempts } = await executor().failure({ method, url: upstream.origin });
      expect(attempts).toBe(1);
      expect(upstream).toMatchObject({ requests: 2, connections: 2 });
      expect(upstream.heads[1]).toMatch(/\r\nconnection: close\r\n/i);
    }
  });

  it('is opened for the redirect of a POST as well', async () => {
    const seeOther = 'HTTP/1.1 303 See Other\r\nlocation: /done\r\ncontent-length: 0\r\n\r\n';
    await using upstream = await startRawUpstream({
      asked: (socket, request) => void socket.write(request === 2 ? seeOther : GOOD),
    });
    for (const method of ['GET', 'POST'])
      await executor().success({ method, url: upstream.origin });
    expect(upstream).toMatchObject({ requests: 3, connections: 3 });
  });

  it('is opened for a body that the upstream may ignore', async () => {
    await using upstream = await startRawUpstream({
      asked: (socket) => void socket.write(GOOD),
    });
    for (const method of ['GET', 'DELETE'])
      await executor().success({ method, url: upstream.origin, body: 'GET /' });
    expect(upstream).toMatchObject({ requests: 2, connections: 2 });
  });
});
