import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { exchange } from './support/bare-exchange.ts';
import { startServer } from './support/server.ts';

const GET = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n';
const LAST = 'GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';

const statusesOf = (answers: string) =>
  [...answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);

describe('responses written as one batch', () => {
  it.each([1, 31, 32, 33, 100])('%i requests in one packet are all answered', async (count) => {
    await using server = await startServer();
    const answers = await exchange(server.port, GET.repeat(count - 1) + LAST);
    expect(statusesOf(answers)).toEqual(Array(count).fill('200'));
  });

  it('a request is answered before the bytes after it, which are none', async () => {
    await using server = await startServer();
    expect(statusesOf(await exchange(server.port, `${GET}GARBAGE\r\n\r\n`))).toEqual([
      '200',
      '400',
    ]);
  });

  it('one that cannot be written leaves the others alone', async () => {
    await using server = await startServer((app) => {
      app.get('/bad', (_request, reply) => reply.header('x-bad', 'a\nb').send({}));
    });
    const all = ['/healthz', '/bad', '/healthz', '/bad', '/healthz'];
    const answers = await Promise.all(all.map((path) => fetch(server.url + path)));
    expect(answers.map(({ status }) => status)).toEqual([200, 500, 200, 500, 200]);
  });

  it('clients that have gone before the writing are no error, and their requests end once', async () => {
    await using server = await startServer((app) => {
      app.get('/gone', (request, reply) => {
        reply.send({});
        request.raw.destroy();
      });
      app.get('/count', () => ({ count: app.inFlight.count }));
    });
    for (let client = 0; client < 50; client++) {
      const socket = connect({ host: '127.0.0.1', port: server.port }).on('error', () => {});
      socket.write('GET /gone HTTP/1.1\r\nhost: x\r\n\r\n');
    }
    await expect.poll(() => server.lines().filter(({ path }) => path === '/gone').length).toBe(50);
    // Another exchange: what else would end has ended by now.
    await fetch(`${server.url}/healthz`);
    const lines = server.lines().filter(({ path }) => path === '/gone');
    expect(new Set(lines.map(({ msg }) => msg))).toEqual(new Set(['request broken off']));
    expect(server.lines().filter(({ level }) => level === 'error')).toEqual([]);
    expect(await (await fetch(`${server.url}/count`)).json()).toEqual({ count: 1 });
  });

  it('above 256 KiB each is written in a turn of the event loop of its own', async () => {
    let turn = 0;
    let counting = setImmediate(function count() {
      turn += 1;
      counting = setImmediate(count);
    });
    const turns: number[] = [];
    await using server = await startServer((app) => {
      app.get('/:bytes', (request, reply) => {
        reply.send(Buffer.alloc(Number((request.params as { bytes: string }).bytes)));
      });
      app.addHook('onSend', (_request, _reply, payload, done) => {
        if ((payload as Buffer).length > 256 * 1024) turns.push(turn);
        done();
      });
    });
    const [atLimit, above] = [256 * 1024, 256 * 1024 + 1];
    for (const bytes of [atLimit, above]) {
      const answers = await Promise.all(
        Array.from({ length: 5 }, async () => (await fetch(`${server.url}/${bytes}`)).bytes()),
      );
      expect(answers.map(({ length }) => length)).toEqual(Array(5).fill(bytes));
    }
    clearImmediate(counting);
    expect(turns).toHaveLength(5);
    expect(new Set(turns).size).toBe(5);
  });
});
