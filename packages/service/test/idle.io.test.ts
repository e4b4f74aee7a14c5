import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
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
  it('it does not wait for connections in use, nor where there are none', async () => {
    await using one = await connected();
    const began = performance.now();
    await waitForIdleConnections(one.server, inFlight(1));
    one.client.destroy();
    await expect.poll(() => one.client.closed).toBe(true);
    await waitForIdleConnections(one.server, inFlight(1));
    expect(performance.now() - began).toBeLessThan(MAX_WAIT_MS);
  });

  it('it waits until its clients have closed their idle connections', async () => {
    await using one = await connected();
    let gone = false;
    const wait = waitForIdleConnections(one.server, inFlight(0)).then(() => gone);
    setTimeout(() => {
      gone = true;
      one.client.end();
    }, MAX_WAIT_MS / 10);
    expect(await wait).toBe(true);
  });

  it('but half a second at most', async () => {
    await using one = await connected();
    const began = performance.now();
    await waitForIdleConnections(one.server, inFlight(0));
    expect(performance.now() - began).toBeGreaterThanOrEqual(MAX_WAIT_MS);
    expect(one.client.destroyed).toBe(false);
  });
});
