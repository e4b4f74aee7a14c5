import { connect as connectTcp, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { certificate } from '@gatehouse/testing';
import { afterAll, describe, expect, it } from 'vitest';
import type { Server } from '../../src/index.ts';
import { type RunningServer, startServer } from '../support/server.ts';

/** A fifth of the default time. To match, the slow reader below is sped up by `HASTE`. */
const READING_MS = 4_000;
const HASTE = 5;

const { key, cert } = await certificate('server');
const TLS = {
  tokens: undefined,
  tls: { key, cert, clientCa: undefined },
  corsOrigins: new Set<string>(),
};

const routes = (app: Server) =>
  app.get<{ Params: { bytes: string }; Querystring: { late?: string } }>(
    '/big/:bytes',
    async ({ params, query }, reply) => {
      await sleep(query.late === undefined ? 0 : 1.5 * READING_MS);
      return reply.type('text/plain').send('x'.repeat(Number(params.bytes)));
    },
  );

const open: Socket[] = [];
afterAll(() => {
  for (const socket of open) socket.destroy();
});

/** Sends a request and does not read the reply yet. */
function ask({ url, port }: RunningServer, bytes: number | string, connection = 'close'): Socket {
  const target = { host: '127.0.0.1', port };
  const socket = url.startsWith('https') ? connectTls({ ...target, ca: cert }) : connectTcp(target);
  open.push(socket);
  socket.pause().on('error', () => {});
  socket.write(`GET /big/${bytes} HTTP/1.1\r\nhost: x\r\nconnection: ${connection}\r\n\r\n`);
  return socket;
}

/** Reads at this rate until the connection closes. Returns the number of bytes read. */
async function readAt(socket: Socket, bytesPerSecond: number): Promise<number> {
  const started = performance.now();
  let read = 0;
  while (!socket.readableEnded && !socket.destroyed) {
    await sleep(10);
    const due = (bytesPerSecond * (performance.now() - started)) / 1_000;
    for (let chunk: Buffer | null; read < due; read += chunk.length) {
      chunk = socket.read();
      if (chunk === null) break;
    }
  }
  return read;
}

const brokenOff = (server: RunningServer) =>
  server.lines().filter(({ msg }) => msg === 'request aborted');

/** Larger than two socket buffers. */
const LARGE = 40_000_000;

describe.each([
  ['over plain HTTP', {}],
  ['over TLS', { access: TLS }],
])('an unread reply %s', (_name, options) => {
  const start = () => startServer(routes, { ...options, clientTimes: { readingMs: READING_MS } });
  const cutOff = { status: 200, reason: 'the caller did not read its response' };

  it.concurrent('disconnects a caller that reads nothing, and is logged', async () => {
    await using server = await start();
    ask(server, LARGE);
    await expect.poll(() => brokenOff(server), { timeout: 60_000 }).toMatchObject([cutOff]);
    const [line] = brokenOff(server);
    expect(line?.duration_ms).toBeGreaterThan(READING_MS * 0.9);
    expect(line?.duration_ms).toBeLessThan(READING_MS * 1.9);
  });

  it.concurrent('disconnects a caller that does not read a late reply', async () => {
    await using server = await start();
    ask(server, `${LARGE}?late`);
    await expect.poll(() => brokenOff(server), { timeout: 60_000 }).toMatchObject([cutOff]);
    expect(brokenOff(server)[0]?.duration_ms).toBeGreaterThan(READING_MS * 2.4);
  });

  it.concurrent('reaches a caller that waits for a late reply', async () => {
    await using server = await start();
    expect(await readAt(ask(server, '5000?late'), 100_000)).toBeGreaterThan(5_000);
    expect(brokenOff(server)).toEqual([]);
  });

  it.concurrent('disconnects a caller that keeps sending requests', async () => {
    await using server = await start();
    const socket = ask(server, LARGE, 'keep-alive');
    // Send many requests at once, so that the service soon has enough unread replies to stop
    // reading.
    const requests = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(20);
    const talk = setInterval(() => socket.write(requests), 100);
    try {
      await expect.poll(() => brokenOff(server)[0], { timeout: 60_000 }).toMatchObject(cutOff);
    } finally {
      clearInterval(talk);
    }
  });

  it.concurrent('disconnects a caller that stops in the middle', async () => {
    await using server = await start();
    const socket = ask(server, LARGE);
    await new Promise<void>((stopped) => {
      let read = 0;
      socket.on('data', (chunk) => {
        read += chunk.length;
        if (read > LARGE / 4) stopped(void socket.pause());
      });
      socket.resume();
    });
    await expect.poll(() => brokenOff(server), { timeout: 60_000 }).toMatchObject([cutOff]);
  });

  it.concurrent('reaches a slow reader completely', async () => {
    await using server = await start();
    // Simulates a client that reads 100 KB/s. To save time, `HASTE` multiplies this rate and divides
    // the time limits. The kernel buffers 1.4 MB at a time.
    expect(await readAt(ask(server, 5_000_000), 100_000 * HASTE)).toBeGreaterThan(5_000_000);
    expect(brokenOff(server)).toEqual([]);
  });
});
