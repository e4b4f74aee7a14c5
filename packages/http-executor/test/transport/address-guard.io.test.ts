import { once } from 'node:events';
import { createServer } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { reply, type Script, shared, startUpstream, type Upstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import type { Resolve } from '../../src/index.ts';
import { fakeClock } from '../support/clock.ts';
import { startExecutor } from '../support/executor.ts';
import { record, textWith } from '../support/outcomes.ts';
import { resolver } from '../support/resolver.ts';

const REFUSED: [name: string, ...addresses: string[]][] = [
  ['loopback', '127.0.0.1'],
  ['mapped loopback', '::ffff:127.0.0.1'],
  ['cloud metadata', '169.254.169.254'],
  ['a public address, then loopback', '93.184.215.14', '127.0.0.1'],
  ['loopback, then a public address', '127.0.0.1', '93.184.215.14'],
  ['both families, one of them private', '2606:2800:21f:cb07::1', '10.0.0.1'],
  ['text that is not an address', 'localhost'],
];

const get = (host: string, port: number, path = '/') => ({
  method: 'GET',
  url: `http://${host}:${port}${path}`,
});
const resolving = (...resolutions: string[][]) => resolver({ 'api.test': resolutions });

describe('a name that leads to', () => {
  it.each(REFUSED)('%s is refused without any connection', async (_name, ...addresses) => {
    await using canary = await startUpstream();
    const clock = fakeClock();
    const { resolve, queries } = resolving(addresses);
    await using executor = await startExecutor({ hosts: ['api.test'], clock, resolve });
    for (const method of ['GET', 'POST'])
      expect(await executor.refusal({ ...get('api.test', canary.port), method })).toMatchObject({
        code: 'AddressNotAllowed',
        message: textWith('api.test'),
      });
    expect(queries).toHaveLength(2);
    expect([canary.connections, clock.waits]).toEqual([0, []]);
  });

  it.each([
    ['a private address', 'api.test', '10.0.0.1', /add its network to the allowed networks\. /],
    ['cloud metadata', 'api.test', '169.254.169.254', /metadata .*list the IP address itself/],
    ['localhost elsewhere', 'localhost', '10.0.0.1', /`localhost` may resolve only to loopback/],
  ])('%s is refused with advice for the operator', async (_name, host, to, advice) => {
    const { resolve } = resolver({ [host]: [[to]] });
    await using executor = await startExecutor({ hosts: [host], resolve });
    const { message } = await executor.refusal(get(host, 80));
    expect(message).toMatch(advice);
    if (to !== '10.0.0.1' || host === 'localhost') expect(message).not.toMatch(/allowed networks/);
    expect(message).toMatch(/Spelling the URL differently or using a redirect will not help\.$/);
  });
});

describe('allowed networks', () => {
  it.each([
    ['10.0.0.0/8, 127.0.0.1/32', ['127.0.0.1'], true],
    ['127.0.0.0/8', ['::ffff:127.0.0.1'], true],
    ['127.0.0.0/8', ['127.0.0.1', '10.0.0.1'], false],
    ['127.0.0.0/8', ['10.0.0.1', '127.0.0.1'], false],
    ['10.0.0.0/8', ['127.0.0.1'], false],
  ])('`%s` and a name that leads to %j: admitted %s', async (networks, addresses, admitted) => {
    await using upstream = await startUpstream();
    await using executor = await startExecutor({
      hosts: ['api.test'],
      networks: networks.split(', '),
      ...resolving(addresses),
    });
    if (admitted) await executor.success(get('api.test', upstream.port));
    else await executor.refusal(get('api.test', upstream.port));
    expect(upstream.connections).toBe(admitted ? 1 : 0);
  });
});

/**
 * Starts a server that listens on a loopback address and answers with the `host` header of the
 * request.
 */
async function listenOn(address: string) {
  const hosts: (string | undefined)[] = [];
  const server = createServer(({ headers: { host } }, response) => {
    hosts.push(host);
    response.end(JSON.stringify({ host }));
  }).listen(0, address);
  await once(server, 'listening');
  const close = async () => {
    server.close();
    server.closeAllConnections();
  };
  const { port } = server.address() as AddressInfo;
  return { port, hosts, [Symbol.asyncDispose]: close };
}

describe('an address on the allowlist', () => {
  it('reaches itself, although it is loopback, and nothing is resolved', async () => {
    await using upstream = await startUpstream();
    const { resolve, queries } = resolver({});
    await using executor = await startExecutor({ hosts: ['127.0.0.1'], resolve });
    await executor.success({ method: 'GET', url: upstream.origin });
    expect(queries).toEqual([]);
  });

  it('reaches itself as IPv6, and sends its literal as the host', async () => {
    await using upstream = await listenOn('::1');
    await using executor = await startExecutor();
    const host = `[::1]:${upstream.port}`;
    const { body } = await executor.success({ method: 'GET', url: `http://${host}/` });
    expect(body).toEqual({ host });
  });

  it.each([
    ['0.0.0.0', '127.0.0.1'],
    ['[::]', '::1'],
  ])('%s reaches nothing, although the system connects it to %s', async (host, loopback) => {
    await using upstream = await listenOn(loopback);
    await using executor = await startExecutor({ hosts: [host] });
    const { code } = await executor.refusal({ ...get(host, upstream.port), method: 'POST' });
    expect(code).toBe('AddressNotAllowed');
    expect(upstream.hosts).toEqual([]);
  });
});

it('localhost resolves to loopback with the system resolver', async () => {
  await using upstream = await startUpstream();
  await using executor = await startExecutor();
  await executor.success(get('localhost', upstream.port));
});

it('no name reaches the executor itself', async () => {
  await using self = await startUpstream();
  const { resolve } = resolving(['127.0.0.1']);
  await using executor = await startExecutor({
    hosts: ['*.test', 'localhost', '127.0.0.1'],
    networks: ['127.0.0.0/8'],
    ownPort: () => self.port,
    resolve: (name) => resolve(name === 'localhost' ? 'api.test' : name),
  });
  for (const host of ['127.0.0.1', 'localhost', 'api.test'])
    for (const method of ['GET', 'POST']) {
      const { code, message } = await executor.refusal({ ...get(host, self.port), method });
      expect([code, message]).toEqual(['AddressNotAllowed', textWith('executor itself')]);
    }
  expect(self.requests).toEqual([]);
});

/**
 * The first address of each name is a loopback address that the operator allowed, so that no request
 * leaves the machine. The operator did not allow the other addresses.
 */
const FIRST = '127.0.0.1';
const REBOUND: [name: string, ...to: string[]][] = [
  ['loopback elsewhere', '127.0.0.2'],
  ['unique local', 'fd00::1'],
  ['cloud metadata', '169.254.169.254'],
  ['the first address, then a private one', FIRST, '::1'],
  ['a private address, then the first one', '::1', FIRST],
];

async function listenIfPossible(server: net.Server, host: string, port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  server.once('error', () => resolve(false));
  server.listen(port, host, () => resolve(true));
  return promise;
}

/**
 * Starts an upstream at the first address, and canaries (servers that must not be reached) on its
 * port at the other loopback addresses.
 */
async function startPair(script: Script) {
  const stack = new AsyncDisposableStack();
  const upstream: Upstream = stack.use(await startUpstream(script));
  let canaries = 0;
  for (const host of ['127.0.0.2', '::1']) {
    const server = net.createServer((socket) => {
      canaries += 1;
      socket.destroy();
    });
    if (await listenIfPossible(server, host, upstream.port)) stack.defer(() => void server.close());
  }
  /** Requests at the upstream, and connections to the canaries. */
  const arrived = () => [upstream.requests.length, canaries];
  return { upstream, stack, arrived };
}

const startRebound = (resolve: Resolve, more = {}) =>
  startExecutor({
    hosts: ['*.test'],
    networks: [`${FIRST}/32`],
    clock: fakeClock(),
    resolve,
    ...more,
  });
/** Response that closes its connection, so that the next request has to look up the name again. */
const CLOSING = { headers: { connection: 'close' } };

describe.each(REBOUND)('a name that is rebound to %s', (_name, ...to) => {
  it('between two executions is refused', async () => {
    const { upstream, stack, arrived } = await startPair(CLOSING);
    await using _ = stack;
    await using executor = await startRebound(resolving([FIRST], to).resolve);
    await executor.success(get('api.test', upstream.port));
    for (const method of ['GET', 'POST']) {
      const { code } = await executor.refusal({ ...get('api.test', upstream.port), method });
      expect(code).toBe('AddressNotAllowed');
    }
    expect(arrived()).toEqual([1, 0]);
  });

  it('between attempts ends in an outcome, because something was sent', async () => {
    for (const failures of [1, 2]) {
      const { upstream, stack, arrived } = await startPair({ status: 503, ...CLOSING });
      await using _ = stack;
      const answers = [...Array<string[]>(failures).fill([FIRST]), to];
      await using executor = await startRebound(resolving(...answers).resolve);
      expect(await executor.failure(get('api.test', upstream.port))).toMatchObject({
        error: 'ConnectFailure',
        message: textWith('api.test'),
        attempts: failures + 1,
        history: [200, 400].slice(0, failures).map((ms, at) => record(at + 1, 'status', ms, 503)),
      });
      expect(arrived()).toEqual([failures, 0]);
    }
  });

  it('between redirects is not followed', async () => {
    for (const hops of [1, 3]) {
      const { upstream, stack, arrived } = await startPair(({ url }, response) => {
        const location = `/${Number(url.slice(1)) + 1}`;
        reply(response, { status: 302, headers: { ...CLOSING.headers, location } });
      });
      await using _ = stack;
      const answers = [...Array<string[]>(hops).fill([FIRST]), to];
      await using executor = await startRebound(resolving(...answers).resolve);
      expect(await executor.failure(get('api.test', upstream.port, '/0'))).toMatchObject({
        error: 'HttpFailure',
        status: 302,
        headers: { location: `/${hops}` },
        attempts: 1,
      });
      expect(arrived()).toEqual([hops, 0]);
    }
  });
});

it('a kept connection is used without another lookup', async () => {
  await using upstream = await startUpstream();
  const { resolve, queries } = resolving([FIRST], ['10.0.0.1']);
  await using executor = await startRebound(resolve);
  for (let n = 0; n < 2; n++) {
    await executor.success(get('api.test', upstream.port));
    // undici reuses a connection only in a later turn of the event loop.
    await nextTurn();
  }
  expect([upstream.connections, queries]).toEqual([1, ['api.test']]);
});

describe('a resolver that answers after the deadline', () => {
  const elsewhere = shared(() => startUpstream());

  it.each([FIRST, '127.0.0.2'])('with %s does not cause a connection', async (late) => {
    const { upstream, stack, arrived } = await startPair({});
    await using _ = stack;
    const answers: (() => void)[] = [];
    const clock = fakeClock();
    const resolve: Resolve = async (name) => {
      if (name === 'good.test') return [{ address: FIRST, family: 4 }];
      queueMicrotask(() => clock.pass(100));
      return new Promise((answer) => {
        answers.push(() => answer([{ address: late, family: 4 }]));
      });
    };
    await using executor = await startRebound(resolve, { clock, attemptTimeoutMs: 100 });
    const post = { ...get('api.test', upstream.port), method: 'POST' };
    expect(await executor.failure(post)).toMatchObject({ error: 'Timeout' });
    answers.shift()?.();
    expect(await executor.failure(post)).toMatchObject({ error: 'Timeout' });
    // Wait for one more exchange, because a connection to a canary would arrive before it ends.
    await executor.success(get('good.test', elsewhere().port));
    expect(arrived()).toEqual([0, 0]);
  });
});
