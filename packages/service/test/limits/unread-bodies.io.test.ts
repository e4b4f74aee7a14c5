import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startServer } from '../support/server.ts';
import { openWire, postHead, statusesOf, type Wire } from '../support/wire.ts';

const MIB = 1024 * 1024;
const LIMIT = 1_000;
const NEXT = 'GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';

const route = (app: Server) => app.post('/echo', () => ({}));

const PIECE = 'x'.repeat(64 * 1024);
const CHUNK = `${PIECE.length.toString(16)}\r\n${PIECE}\r\n`;

/**
 * Sends a body of `bytes` bytes, rounded up to whole chunks if `chunked`. Stops early if the
 * connection closes.
 */
async function sendBody(wire: Wire, bytes: number, chunked: boolean): Promise<void> {
  for (let left = bytes; left > 0 && !wire.socket.destroyed; left -= PIECE.length) {
    await wire.send(chunked ? CHUNK : PIECE.slice(0, left));
  }
  if (chunked) await wire.send('0\r\n\r\n');
}

const headOf = (path: string, bytes: number, chunked: boolean, headers = {}) =>
  postHead(path, {
    ...(chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': bytes }),
    ...headers,
  });

const REFUSED: [name: string, path: string, headers: Record<string, string>, status: string][] = [
  ['too long', '/echo', {}, '413'],
  ['to an unknown path', '/nowhere', {}, '404'],
  ['with a wrong method', '/healthz', {}, '405'],
  ['to a malformed URL', '/%zz', {}, '400'],
  ['of another type', '/echo', { 'content-type': 'text/plain' }, '415'],
  ['in another encoding', '/echo', { 'content-encoding': 'gzip' }, '415'],
];

const LENGTHS = [LIMIT + 1, 5 * MIB, 15 * MIB].flatMap((bytes) =>
  [false, true].map((chunked) => ({ bytes, chunked })),
);

/** A tenth of the default time. */
const HASTY = { clientTimes: { discardMs: 500 } };

/** Enough time for any body on a busy machine. */
const PATIENT = { clientTimes: { discardMs: 600_000 } };

describe.each(['keep-alive', 'close'])('with `connection: %s`, a refused body', (connection) => {
  it.each(REFUSED)(
    '%s is discarded and answered, and a long one ends the connection',
    async (_name, path, headers, status) => {
      for (const { bytes, chunked } of LENGTHS) {
        const length = `${bytes}, chunked: ${chunked}`;
        await using server = await startServer(route, PATIENT);
        using wire = openWire(server.port);
        wire.socket.pause();
        await wire.send(headOf(path, bytes, chunked, { ...headers, connection }));
        await sendBody(wire, bytes, chunked);
        await wire.send(NEXT);
        wire.socket.resume();
        const [first, ...later] = statusesOf(await wire.over);
        expect(first, length).toBe(status);
        // A short body has usually arrived before the reply, so the connection can be reused.
        if (bytes > LIMIT + 1 || status === '413' || connection === 'close')
          expect(later, length).toEqual([]);
        expect(wire.text, length).toContain('application/problem+json');
        expect(wire.text, length).toMatch(/^(?=.*content-length: \d).*connection: close\r\n/is);
      }
    },
  );
});

it('a reply waits for the rest of a refused body, because proxies read no earlier reply', async () => {
  await using server = await startServer(route, PATIENT);
  using wire = openWire(server.port);
  await wire.send(headOf('/echo', 2 * MIB, false));
  await sendBody(wire, MIB, false);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  expect(wire.text).toBe('');
  await sendBody(wire, MIB, false);
  expect(statusesOf(await wire.over)).toEqual(['413']);
});

it('a request behind a body that cannot be parsed is answered', async () => {
  await using server = await startServer(route);
  using wire = openWire(server.port);
  await wire.send(`${headOf('/echo', 2, false)}{,${headOf('/echo', 2, false)}{}${NEXT}`);
  expect(statusesOf(await wire.over)).toEqual(['400', '200', '200']);
  expect(wire.text).toMatch(/^HTTP.1.1 400 [^{]*connection: keep-alive[^{]*keep-alive: timeout=72/);
});

it('a body that the client sends without waiting for 100 Continue does not lose the 413', async () => {
  await using server = await startServer(route, PATIENT);
  using wire = openWire(server.port);
  wire.socket.pause();
  await wire.send(headOf('/echo', 5 * MIB, false, { expect: '100-continue' }));
  await sendBody(wire, 5 * MIB, false);
  wire.socket.resume();
  expect(statusesOf(await wire.over)).toEqual(['413']);
});

/** Handler whose reply waits for `release`. */
function heldUntilReleased(text: string) {
  const [entered, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const handler = async () => {
    entered.resolve();
    await release.promise;
    return { text };
  };
  return { entered, release, handler };
}

it('a refused body that ends while the server drains delays and loses nothing', async () => {
  const { entered, release, handler } = heldUntilReleased('');
  const clientTimes = { discardMs: 20_000 };
  const server = await startServer((app) => app.post('/slow', handler), { clientTimes });
  using idle = openWire(server.port);
  using next = openWire(server.port);
  using busy = openWire(server.port);
  await busy.send(`${headOf('/slow', 2, false)}{}${headOf('/nowhere', 9, false)}`);
  for (const wire of [idle, next]) await wire.send(headOf('/nowhere', 9, false));
  const refused = [idle, next].map((wire) => wire.received(/"code":"NotFound"/));
  await Promise.all([entered.promise, ...refused]);
  const closed = server[Symbol.asyncDispose]();
  await expect.poll(() => fetch(server.url).catch(() => 'closed')).toBe('closed');
  const drained = performance.now();
  for (const wire of [busy, idle]) await wire.send(' '.repeat(9));
  await next.send(`${' '.repeat(9)}GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n`);
  release.resolve();
  await idle.over;
  expect(statusesOf(await next.over)).toEqual(['404']);
  expect(statusesOf(await busy.over)).toEqual(['200']);
  await closed;
  expect(performance.now() - drained).toBeLessThan(10_000);
});

it.each(['before', 'after'])('a reply that begins %s the drain is not cut off', async (when) => {
  const { entered, release, handler } = heldUntilReleased('x'.repeat(16 * MIB));
  if (when === 'before') release.resolve();
  const server = await startServer((app) => app.get('/large', handler));
  const connected = Promise.withResolvers<Socket>();
  server.onConnection(connected.resolve);
  using wire = openWire(server.port);
  await wire.send('GET /large HTTP/1.1\r\nhost: x\r\n\r\n');
  await entered.promise;
  if (when === 'before') await wire.received(/ 200 /);
  wire.socket.pause();
  const closed = server[Symbol.asyncDispose]();
  await expect.poll(() => fetch(server.url).catch(() => 'closed')).toBe('closed');
  release.resolve();
  // The whole reply is written, but not flushed, because the client does not read it.
  const socket = await connected.promise;
  await expect.poll(() => socket.writableLength).toBeGreaterThan(0);
  wire.socket.resume();
  expect((await wire.over).length).toBeGreaterThan(16 * MIB);
  await closed;
});

describe('a client that does not send the whole body', () => {
  it.each(['content-length: 5000000', 'transfer-encoding: chunked'])(
    'with %s is answered and later disconnected',
    async (framing) => {
      await using server = await startServer(route, HASTY);
      using wire = openWire(server.port);
      const [name = '', value = ''] = framing.split(': ');
      await wire.send(postHead('/nowhere', { [name]: value }));
      await wire.received(/"code":"NotFound"/);
      await wire.over;
    },
  );

  it('takes at most a tenth of the requests in flight', async () => {
    const load = { maxInFlight: 10, maxEventLoopDelayMs: 600_000 };
    await using server = await startServer(route, { ...PATIENT, load });
    using waiting = openWire(server.port);
    const head = postHead('/nowhere', { 'content-length': 9 });
    await waiting.send(head);
    for (let n = 0; n < 2 * load.maxInFlight; n++) {
      using wire = openWire(server.port);
      await wire.send(head);
      expect(statusesOf(await wire.over)).toEqual(['404']);
    }
    expect(waiting.text).toBe('');
  });

  it('leaves no connection behind when it disconnects', async () => {
    await using server = await startServer(route);
    using wire = openWire(server.port);
    await wire.send(headOf('/echo', 5 * MIB, false));
    await sendBody(wire, MIB, false);
    wire.socket.destroy();
    await expect.poll(() => server.lines().map(({ msg }) => msg)).toContain('request aborted');
    expect(server.lines().filter(({ level }) => level === 'error')).toEqual([]);
  });
});

it('a client that reads late gets its reply even if its body is one byte too large', async () => {
  await using server = await startServer(route);
  using wire = openWire(server.port);
  wire.socket.pause();
  await wire.send(headOf('/echo', 16 * MIB + 1, false));
  await sendBody(wire, 16 * MIB + 1, false);
  wire.socket.resume();
  expect(statusesOf(await wire.over)).toEqual(['413']);
});

/** Sends until the connection closes. Returns the number of bytes sent. */
async function sendForEver(wire: Wire, piece: string): Promise<number> {
  let bytes = 0;
  while (!wire.socket.destroyed) {
    await Promise.race([wire.send(piece), wire.over]);
    bytes += piece.length;
  }
  return bytes;
}

/** Maximum size of two socket buffers on Linux. */
const BUFFERS = 4 * MIB + 32 * MIB;

describe('an endless body', () => {
  it.each([
    ['with an honest length', { 'content-length': 1_000 * MIB }, PIECE],
    ['in chunks', { 'transfer-encoding': 'chunked' }, CHUNK],
  ])('%s: is read for at most 16 MiB and 5 s, and answered', async (_name, framing, piece) => {
    await using server = await startServer(route, HASTY);
    let read = () => 0;
    server.onConnection((socket) => {
      read = () => socket.bytesRead;
    });
    using wire = openWire(server.port);
    await wire.send(postHead('/echo', framing));
    const bytes = await sendForEver(wire, piece);
    expect(statusesOf(wire.text)).toEqual(['413']);
    expect(bytes).toBeLessThan(16 * MIB + BUFFERS);
    expect(read()).toBeLessThan(17 * MIB);
  });
});
