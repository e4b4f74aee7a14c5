import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { waitForIdleConnections } from '../src/connections/idle.ts';

/** A server with a client's connection, which stays open until the client ends it. */
async function connected() {
  const server = createServer((socket) => void socket.resume()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').resume();
  await once(server, 'connection');
  const close = async () => {
    client.destroy();
    await new Promise((closed) => server.close(closed));
  };
  return { server, client, [Symbol.asyncDispose]: close };
}

const inFlight = (count: number) => ({ count, track: () => {} });

const MAX_WAIT_MS = 500;

describe('before a server closes', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  /** Waits on a clock that stands still; whether that is over, and how to see it look again. */
  function waiting({ server }: { server: Server }, count = 0) {
    const looks = vi.spyOn(server, 'getConnections');
    let over = false;
    const wait = waitForIdleConnections(server, inFlight(count)).then(() => {
      over = true;
    });
    const anotherLook = async () => {
      const before = looks.mock.calls.length;
      // `expect.poll` would move the clock.
      while (looks.mock.calls.length < before + 2) await turn();
    };
    return { wait, anotherLook, over: () => over };
  }

  it('it does not wait for connections in use, nor where there are none', async () => {
    await using one = await connected();
    await waiting(one, 1).wait;
    one.client.destroy();
    await expect.poll(() => one.client.closed).toBe(true);
    await waiting(one).wait;
  });

  it('it waits until its clients have closed their idle connections', async () => {
    await using one = await connected();
    const { wait, anotherLook, over } = waiting(one);
    await anotherLook();
    expect(over()).toBe(false);
    one.client.end();
    await wait;
  });

  it('but half a second at most', async () => {
    await using one = await connected();
    const { wait, anotherLook, over } = waiting(one);
    vi.advanceTimersByTime(MAX_WAIT_MS - 1);
    await anotherLook();
    expect(over()).toBe(false);
    vi.advanceTimersByTime(1);
    await wait;
    expect(one.client.destroyed).toBe(false);
  });
});
