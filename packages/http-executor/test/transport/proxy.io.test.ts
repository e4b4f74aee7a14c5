import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as testing from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startExecutor } from '../support/executor.ts';

const { certificate, freePort, selfSigned, startRawUpstream, startUpstream } = testing;

/** Starts a proxy that resolves every name to loopback, and refuses callers without its password. */
async function startProxy(status = 200, tls?: testing.Certificate) {
  const tunnels: string[] = [];
  const server = tls === undefined ? http.createServer() : https.createServer({ ...tls });
  server.on('connect', ({ url = '', headers }, socket: net.Socket) => {
    tunnels.push(url);
    const known = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
    const answer = headers['proxy-authorization'] === known ? status : 407;
    if (answer > 299) return socket.end(`HTTP/1.1 ${answer} Refused\r\n\r\n`);
    const upstream = net.connect(Number(url.split(':').at(-1)), '127.0.0.1', () => {
      socket.write(`HTTP/1.1 ${answer} Connected\r\n\r\n`);
      pipeline(upstream, socket, upstream, () => {});
    });
    return undefined;
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    tunnels,
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

/** Only a proxy can reach named hosts for these executors, which must not resolve names. */
const NAMED = { hosts: ['api.test', '127.0.0.1', '0.0.0.0'], resolve: expect.unreachable };

const HTTP = 'http://user:p%40ss@localhost';
const HTTPS = 'https://user:p%40ss@localhost';
const HTTPS_IP = 'https://user:p%40ss@127.0.0.1';
const own = await certificate('proxy');
const named = await selfSigned('localhost');
const expired = await certificate('proxy', undefined, { notAfterDate: new Date(1) });
const raw = (answer: string) => startRawUpstream({ asked: (socket) => socket.end(answer) });

/** Faults of a proxy, with its URL without the port, and what the message says. */
const FAULTS: [string, at: string, () => Promise<AsyncDisposable & { port: number }>, RegExp][] = [
  ['has another password', 'http://user:p%40ss2@localhost', startProxy, /\(status 407\)/],
  ['answers 302', HTTP, () => startProxy(302), /connect to `api.test:80` \(status 302\)/],
  ['answers 403', HTTP, () => startProxy(403), /connect to `api.test:80` \(status 403\)/],
  ['answers 502', HTTP, () => startProxy(502), /connect to `api.test:80` \(status 502\)/],
  ['is down', HTTP, async () => ({ ...(await raw('')), port: await freePort() }), /ECONNREFUSED/],
  ['has no address', `${HTTP}${'a'.repeat(64)}`, startProxy, /proxy .* its host name .*resolve/],
  ['does not speak HTTP', HTTP, () => raw('SSH-2.0'), /proxy .* well-formed HTTP/],
  ['hangs up', HTTP, () => raw(''), /^The connection to the outgoing proxy was lost/],
  ['has no TLS', HTTPS, startProxy, /proxy does not speak TLS .* not help/],
  ['is not trusted', HTTPS, () => startProxy(200, own), /proxy .*SELF_SIGNED.* not help/],
  ['has expired', HTTPS, () => startProxy(200, expired), /proxy .*HAS_EXPIRED.* not help/],
  ['has another IP', HTTPS_IP, () => startProxy(200, named), /proxy .*ALTNAME_INV.* not help/],
];

describe('an executor with a proxy', () => {
  it.each([
    [HTTP, 200, undefined],
    [HTTPS, 201, own],
    [HTTPS_IP, 200, own],
  ])('at %s reaches http and https upstreams in tunnels that it keeps', async (at, status, tls) => {
    await using proxy = await startProxy(status, tls);
    const trusted = await selfSigned('api.test');
    await using plain = await startUpstream({ body: { plain: true } });
    await using secure = await startUpstream({ body: { secure: true } }, trusted);
    const upstreamCa = `${trusted.cert}\n${own.cert}`;
    const setup = { ...NAMED, proxy: `${at}:${proxy.port}`, upstreamCa };
    await using executor = await startExecutor(setup);
    for (const origin of [`http://api.test:${plain.port}`, `https://api.test:${secure.port}`])
      for (let time = 0; time < 2; time += 1) {
        await executor.success({ method: 'GET', url: `${origin}/a?b` });
        // undici reuses a connection only in a later turn of the event loop.
        await nextTurn();
      }
    expect(proxy.tunnels).toEqual([`api.test:${plain.port}`, `api.test:${secure.port}`]);
    const headers = expect.not.objectContaining({ 'proxy-authorization': expect.anything() });
    const sent = { url: '/a?b', headers };
    for (const { requests } of [plain, secure]) expect(requests).toMatchObject([sent, sent]);
  });

  it.each(FAULTS)('blames a proxy that %s, without its password', async (_name, at, start, why) => {
    await using server = await start();
    const proxy = `${at}:${server.port}`;
    const upstreamCa = `${named.cert}\n${expired.cert}`;
    await using executor = await startExecutor({ ...NAMED, proxy, upstreamCa });
    const text = await executor.text({ method: 'POST', url: 'http://api.test/' });
    const { error, message, history } = JSON.parse(text);
    expect(error).toBe('ConnectFailure');
    expect(message).toMatch(why);
    expect(message).toMatch(/^The (\w+ )*outgoing proxy .*\. Nothing was sent\./);
    expect(history).toHaveLength(message.endsWith('not help.') ? 0 : 1);
    expect(text).not.toMatch(/user|ss2?@|p%40|dXNlcj/);
  });

  it('opens one tunnel for an attempt, even if the upstream speaks before the request', async () => {
    await using server = await raw('HTTP/1.1 200 OK\r\n\r\nSSH-2.0\r\n');
    await using executor = await startExecutor({ ...NAMED, proxy: `${HTTP}:${server.port}` });
    const failure = await executor.failure({ method: 'POST', url: 'http://api.test/' });
    expect(failure.message).toMatch(
      /^`api.test` sent data, .* request was sent\. Nothing was sent\./,
    );
    expect(server.requests).toBe(1);
  });

  it('still checks hosts, certificates and literal addresses, and reaches loopback directly', async () => {
    await using proxy = await startProxy();
    await using plain = await startUpstream();
    await using secure = await startUpstream({}, await selfSigned('api.test'));
    const setup = { ...NAMED, proxy: `${HTTP}:${proxy.port}`, ownPort: () => 8092 };
    await using executor = await startExecutor(setup);
    const get = (url: string) => ({ method: 'GET', url });
    const refused = async (url: string) => (await executor.refusal(get(url))).code;
    expect(await refused('http://other.test/')).toBe('HostNotAllowed');
    expect(await refused('http://0.0.0.0:8092/')).toBe('AddressNotAllowed');
    await executor.success(get(plain.origin));
    expect(proxy.tunnels).toEqual([]);
    const untrusted = { error: 'ConnectFailure', message: expect.stringContaining('SELF_SIGNED') };
    const action = get(`https://api.test:${secure.port}/`);
    expect(await executor.failure(action)).toMatchObject(untrusted);
    expect(await executor.dryRun(action)).toMatchObject({ would_send: true, addresses: [] });
  });

  it('closes the tunnel of an execution that ran out of time, and sends nothing later', async () => {
    await using stuck = await startUpstream(() => {});
    await using silent = await startRawUpstream();
    const proxy = `${HTTP}:${silent.port}`;
    await using executor = await startExecutor({ ...NAMED, proxy, attemptTimeoutMs: 300 });
    const action = { method: 'POST', url: `http://api.test:${stuck.port}/` };
    const message = expect.stringMatching(/could not be reached .* Nothing was sent\.$/);
    expect(await executor.failure(action)).toMatchObject({ error: 'Timeout', message });
    await expect.poll(() => silent.open, { interval: 5 }).toBe(0);
    expect([silent.requests, stuck.requests]).toEqual([1, []]);
  });
});
