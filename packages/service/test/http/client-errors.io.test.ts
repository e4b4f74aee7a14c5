import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { gate } from '../support/gate.ts';
import { problemsOf, scrape } from '../support/metrics.ts';
import { startServer } from '../support/server.ts';
import { openWire, postHead, statusesOf, type Wire } from '../support/wire.ts';

const POST = `${postHead('/work', { 'content-length': 2 })}{}`;
const GARBAGE = 'GARBAGE\r\n\r\n';

/**
 * Sends bytes and waits until the server has read them, so that it reads any later bytes
 * separately.
 */
async function sendAlone(wire: Wire, bytes: string, serverSide: Socket): Promise<void> {
  await wire.send(bytes);
  while (serverSide.bytesRead < wire.socket.bytesWritten) await turn();
}

const BEHIND: [name: string, bytes: string, status: string][] = [
  ['garbage', GARBAGE, '400'],
  ['more garbage than a packet', GARBAGE.repeat(20_000), '400'],
  ['a body longer than its `content-length`', 'xyz', '400'],
  ['a malformed header', 'GET / HTTP/1.1\r\nx y: z\r\n\r\n', '400'],
  ['too many headers', `GET / HTTP/1.1\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`, '431'],
];

describe('bytes that are not an HTTP request', () => {
  it.each(BEHIND)(
    'are answered after the request before them: %s',
    async (_name, bytes, status) => {
      const work = gate();
      await using server = await startServer(work.route);
      const connected = Promise.withResolvers<Socket>();
      server.onConnection(connected.resolve);
      using wire = openWire(server.port);
      await wire.send(POST + bytes);
      const serverSide = await connected.promise;
      await expect.poll(work.entered).toBe(1);
      // Further malformed bytes must get no second answer and must not cause a process warning.
      const warned = vi.fn();
      process.on('warning', warned);
      for (let n = 0; n < 50; n++) await sendAlone(wire, GARBAGE, serverSide);
      process.off('warning', warned);
      expect(warned).not.toHaveBeenCalled();
      work.open();
      const text = await wire.over;
      expect(statusesOf(text)).toEqual(['200', status]);
      expect(text).toContain('{"number":1}');
    },
  );

  it('are answered after several requests, which get their replies in order', async () => {
    const work = gate();
    await using server = await startServer(work.route);
    using wire = openWire(server.port);
    await wire.send(POST + POST + POST + GARBAGE);
    await expect.poll(work.entered).toBe(3);
    work.open();
    const text = await wire.over;
    expect(statusesOf(text)).toEqual(['200', '200', '200', '400']);
    expect(text.match(/\{"number":\d\}/g)).toEqual([
      '{"number":1}',
      '{"number":2}',
      '{"number":3}',
    ]);
  });

  it('inside a body get one refusal, and the request is not executed', async () => {
    const work = gate();
    await using server = await startServer(work.route);
    using wire = openWire(server.port);
    await wire.send(
      `${POST}${postHead('/work', { 'transfer-encoding': 'chunked', 'x-request-id': 'mine' })}2\r\n{}\r\nnothing\r\n`,
    );
    await expect.poll(work.entered).toBe(1);
    work.open();
    expect(statusesOf(await wire.over)).toEqual(['200', '400']);
    expect(wire.text).toMatch(/x-request-id: mine\r\n.*"request_id":"mine"/s);
    const refused = { msg: 'malformed request', request_id: 'mine', code: 'MalformedRequest' };
    expect(server.lines()).toContainEqual(expect.objectContaining(refused));
    const aborted = () => server.lines().find(({ msg }) => msg === 'request aborted');
    await expect.poll(aborted).toMatchObject({ request_id: 'mine' });
    expect(aborted()).not.toHaveProperty('status');
    expect(work.entered()).toBe(1);
    expect(await problemsOf(server.url)).toEqual({ 'problems_total{code="MalformedRequest"}': 1 });
  });

  it('of another protocol are refused', async () => {
    await using server = await startServer();
    using wire = openWire(server.port);
    await wire.send('DESCRIBE / RTSP/1.0\r\n\r\n');
    expect(statusesOf(await wire.over)).toEqual(['400']);
    expect(wire.text).toContain('"code":"MalformedRequest"');
  });

  it('and ask for a tunnel end the requests before them', async () => {
    const work = gate();
    await using server = await startServer(work.route);
    using wire = openWire(server.port);
    await wire.send(`${POST}${POST}${POST}CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n`);
    await wire.over;
    work.open();
    const active = async () => (await scrape(server.url)).get('http_server_active_requests');
    await expect.poll(active).toBe(1);
  });

  it('are refused while the client still sends them', async () => {
    await using server = await startServer();
    using wire = openWire(server.port);
    await wire.send(`GET / HTTP/1.1\r\nx: ${'y'.repeat(4_000_000)}\r\n\r\n`);
    expect(statusesOf(await wire.over)).toEqual(['431']);
    const [head = '', body = ''] = wire.text.split('\r\n\r\n');
    expect(head).toMatch(/^content-type: application\/problem\+json/im);
    const { status, code, request_id } = JSON.parse(body);
    expect([status, code]).toEqual([431, 'HeadersTooLarge']);
    expect(head).toContain(`x-request-id: ${request_id}`);
  });
});

describe('a client that disconnects', () => {
  it.each([
    ['in the middle of its body', postHead('/work', { 'content-length': 50 }), '{'],
    ['between chunks', postHead('/work', { 'transfer-encoding': 'chunked' }), '5\r\n{'],
    ['before its body', postHead('/work', { 'content-length': 50 }), ''],
  ])('does not count as an error of the service: %s', async (_name, head, body) => {
    await using server = await startServer(gate().route);
    using wire = openWire(server.port);
    await wire.send(head + body);
    await expect
      .poll(async () => (await scrape(server.url)).get('http_server_active_requests'))
      .toBe(2);
    wire.socket.resetAndDestroy();
    await expect
      .poll(() => server.lines().filter(({ msg }) => msg === 'request aborted'))
      .toHaveLength(1);
    expect(server.lines().filter(({ level }) => level === 'error')).toEqual([]);
    expect(await problemsOf(server.url)).toEqual({});
  });
});
