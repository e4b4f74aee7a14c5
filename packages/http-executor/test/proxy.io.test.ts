import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { type Certificate, certificate, selfSigned, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startExecutor } from './support/executor.ts';

/** Starts a proxy that resolves every name to loopback, and refuses callers without its password. */
async function startProxy(tls?: Certificate) {
  const tunnels: string[] = [];
  const server = tls === undefined ? http.createServer() : https.createServer({ ...tls });
  server.on('connect', ({ url = '', headers }, socket: net.Socket) => {
    tunnels.push(url);
    const known = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
    if (headers['proxy-authorization'] !== known)
      return socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const upstream = net.connect(Number(url.split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    for (const each of [socket, upstream]) {
      each.on('error', () => {});
      each.on('close', () => [socket, upstream].map((end) => end.destroy()));
    }
    return undefined;
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const at = `localhost:${(server.address() as AddressInfo).port}`;
  return {
    tunnels,
    url: `${tls === undefined ? 'http' : 'https'}://user:p%40ss@${at}`,
    withoutPassword: `http://${at}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * Hosts for executors that must not resolve names themselves, so that only the proxy can reach a
 * named host.
 */
const HOSTS = { hosts: ['api.test', '127.0.0.1', '0.0.0.0'] };
const resolve = () => expect.unreachable('the executor resolved a name');

describe('an executor with a proxy', () => {
  it.each(['http', 'https'])(
    'over %s reaches http and https upstreams in tunnels that it keeps',
    async (protocol) => {
      const own = await certificate('proxy');
      await using proxy = await startProxy(protocol === 'https' ? own : undefined);
      const trusted = await selfSigned('api.test');
      await using plain = await startUpstream({ body: { plain: true } });
      await using secure = await startUpstream({ body: { secure: true } }, trusted);
      await using executor = await startExecutor({
        ...{ ...HOSTS, resolve, proxy: proxy.url, upstreamCa: `${trusted.cert}\n${own.cert}` },
      });
      for (const [scheme, { port }] of [
        ['http', plain],
        ['https', secure],
      ] as const)
        for (let time = 0; time < 2; time += 1) {
          const url = `${scheme}://api.test:${port}/a?b`;
          expect(await executor.success({ method: 'GET', url })).toMatchObject({ status: 200 });
        }
      expect(proxy.tunnels).toEqual([`api.test:${plain.port}`, `api.test:${secure.port}`]);
      for (const { requests } of [plain, secure])
        expect(requests.map(({ url, headers }) => [url, headers['proxy-authorization']])).toEqual([
          ['/a?b', undefined],
          ['/a?b', undefined],
        ]);
    },
  );

  it('still checks hosts, certificates and literal addresses, and reaches loopback directly', async () => {
    await using proxy = await startProxy();
    await using plain = await startUpstream();
    await using secure = await startUpstream({}, await selfSigned('api.test'));
    await using executor = await startExecutor({
      ...{ ...HOSTS, resolve, proxy: proxy.url, ownPort: () => 8092 },
    });
    const get = (url: string) => ({ method: 'GET', url });
    expect(await executor.refusal(get('http://other.test/'))).toMatchObject({
      code: 'HostNotAllowed',
    });
    expect(await executor.refusal(get('http://0.0.0.0:8092/'))).toMatchObject({
      code: 'AddressNotAllowed',
    });
    await executor.success(get(plain.origin));
    expect(proxy.tunnels).toEqual([]);
    expect(await executor.failure(get(`https://api.test:${secure.port}/`))).toMatchObject({
      error: 'ConnectFailure',
      message: expect.stringContaining('SELF_SIGNED'),
    });
    expect(await executor.dryRun(get('https://api.test/'))).toMatchObject({
      would_send: true,
      addresses: [],
    });
  });

  it('says that the proxy refused, and that nothing was sent', async () => {
    await using proxy = await startProxy();
    await using executor = await startExecutor({ ...HOSTS, proxy: proxy.withoutPassword });
    const failure = await executor.failure({ method: 'POST', url: 'http://api.test/' });
    expect(failure).toMatchObject({ error: 'ConnectFailure' });
    expect(failure.message).toContain('the proxy refused to connect to the host');
    expect(failure.message).toContain('Nothing was sent.');
  });

  it('closes the tunnel of an execution that ran out of time, and sends nothing later', async () => {
    await using stuck = await startUpstream(() => {});
    const silent = net.createServer(() => {});
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as AddressInfo;
    const closed = once(silent, 'connection').then(([socket]) => once(socket.resume(), 'close'));
    await using executor = await startExecutor({
      ...{ ...HOSTS, proxy: `http://127.0.0.1:${port}`, attemptTimeoutMs: 300 },
    });
    const action = { method: 'POST', url: `http://api.test:${stuck.port}/` };
    expect(await executor.failure(action)).toMatchObject({ error: 'Timeout' });
    await closed;
    silent.close();
    expect(stuck.requests).toEqual([]);
  });
});
