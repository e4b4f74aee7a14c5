import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Reply, shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { fakeClock } from './support/clock.ts';
import { startExecutor } from './support/executor.ts';
import { record, textWith } from './support/outcomes.ts';
import { resolver } from './support/resolver.ts';

const REFUSED: [name: string, addresses: string[]][] = [
  ['loopback', ['127.0.0.1']],
  ['loopback elsewhere', ['127.8.8.8']],
  ['IPv6 loopback', ['::1']],
  ['mapped loopback', ['::ffff:127.0.0.1']],
  ['unspecified', ['0.0.0.0']],
  ['IPv6 unspecified', ['::']],
  ['private 10/8', ['10.0.0.1']],
  ['private 172.16/12', ['172.31.255.255']],
  ['private 192.168/16', ['192.168.1.1']],
  ['link-local', ['169.254.1.1']],
  ['IPv6 link-local', ['fe80::1']],
  ['unique local', ['fd00::1']],
  ['cloud metadata', ['169.254.169.254']],
  ['IPv6 cloud metadata', ['fd00:ec2::254']],
  ['carrier-grade NAT', ['100.64.0.1']],
  ['NAT64 of a private address', ['64:ff9b::a00:1']],
  ['6to4 of loopback', ['2002:7f00:1::1']],
  ['multicast', ['224.0.0.1']],
  ['broadcast', ['255.255.255.255']],
  ['a public address, then loopback', ['93.184.215.14', '127.0.0.1']],
  ['loopback, then a public address', ['127.0.0.1', '93.184.215.14']],
  ['both families, one of them private', ['2606:2800:21f:cb07::1', '10.0.0.1']],
];

const url = (port: number) => `http://api.test:${port}/`;

describe('a name that leads to', () => {
  const cases = REFUSED.map(([name, addresses], index) => ({
    name,
    addresses,
    host: `n${index}.test`,
  }));
  const { resolve, queries } = resolver(
    Object.fromEntries(cases.map(({ host, addresses }) => [host, [addresses]])),
  );
  const clock = fakeClock();
  const env = { HTTP_EXECUTOR_ALLOWED_HOSTS: '*.test' };
  const executor = shared(() => startExecutor({ env, clock, connect: { resolve } }));

  it.each(cases)('$name is refused without any connection', async ({ host }) => {
    await using canary = await startUpstream();
    for (const method of ['GET', 'POST']) {
      const problem = await executor().problem({ method, url: `http://${host}:${canary.port}/` });
      expect(problem).toMatchObject({
        status: 403,
        code: 'AddressNotAllowed',
        detail: textWith(host),
      });
    }
    expect(queries.filter((name) => name === host)).toHaveLength(2);
    expect({ connections: canary.connections, waits: clock.waits }).toEqual({
      connections: 0,
      waits: [],
    });
  });

  it('a private address: the detail says what an operator could change', async () => {
    const private10 = cases.find(({ name }) => name === 'private 10/8')?.host;
    const { detail } = await executor().problem({ method: 'GET', url: `http://${private10}/` });
    expect(detail).toMatch(/HTTP_EXECUTOR_ALLOWED_NETWORKS/);
  });
});

const NETWORKS: [networks: string, addresses: string[], admitted: boolean][] = [
  ['10.0.0.0/8, 127.0.0.1/32', ['127.0.0.1'], true],
  ['127.0.0.0/8', ['::ffff:127.0.0.1'], true],
  ['127.0.0.0/8', ['127.0.0.1', '10.0.0.1'], false],
  ['127.0.0.0/8', ['10.0.0.1', '127.0.0.1'], false],
  ['10.0.0.0/8', ['127.0.0.1'], false],
  ['', ['127.0.0.1'], false],
];

describe('HTTP_EXECUTOR_ALLOWED_NETWORKS', () => {
  it.each(NETWORKS)(
    '`%s` and a name that leads to %j: admitted %s',
    async (networks, addresses, admitted) => {
      await using upstream = await startUpstream();
      const { resolve } = resolver({ 'api.test': [addresses] });
      const env = {
        HTTP_EXECUTOR_ALLOWED_HOSTS: 'api.test',
        HTTP_EXECUTOR_ALLOWED_NETWORKS: networks,
      };
      await using executor = await startExecutor({ env, connect: { resolve } });
      const response = await executor.execute({ method: 'GET', url: url(upstream.port) });
      expect(response.status).toBe(admitted ? 200 : 403);
      expect(upstream.connections).toBe(admitted ? 1 : 0);
    },
  );

  it('does not open cloud metadata services', async () => {
    const { resolve } = resolver({ 'api.test': [['169.254.169.254']] });
    const env = {
      HTTP_EXECUTOR_ALLOWED_HOSTS: 'api.test',
      HTTP_EXECUTOR_ALLOWED_NETWORKS: '0.0.0.0/0',
    };
    await using executor = await startExecutor({ env, connect: { resolve } });
    const problem = await executor.problem({ method: 'GET', url: 'http://api.test/' });
    expect(problem).toMatchObject({ code: 'AddressNotAllowed', detail: textWith('metadata') });
  });
});

describe('localhost', () => {
  it('may lead to loopback only', async () => {
    await using canary = await startUpstream();
    const { resolve } = resolver({
      localhost: [['10.0.0.1'], ['93.184.215.14'], ['127.0.0.1', '10.0.0.1']],
    });
    await using executor = await startExecutor({
      env: { HTTP_EXECUTOR_ALLOWED_NETWORKS: '10.0.0.0/8' },
      connect: { resolve },
    });
    for (const _ of [1, 2, 3]) {
      const problem = await executor.problem({
        method: 'GET',
        url: `http://localhost:${canary.port}/`,
      });
      expect(problem).toMatchObject({
        code: 'AddressNotAllowed',
        detail: textWith('localhost', 'loopback'),
      });
    }
    expect(canary.connections).toBe(0);
  });

  it('leads to loopback by the system resolver', async () => {
    await using upstream = await startUpstream();
    await using executor = await startExecutor();
    await executor.success({ method: 'GET', url: `http://localhost:${upstream.port}/` });
  });
});

describe('the advice to list a network', () => {
  it.each([
    ['cloud metadata', 'api.test', '169.254.169.254'],
    ['localhost elsewhere', 'localhost', '10.0.0.1'],
  ])('is not given for %s, where it would not help', async (_name, host, address) => {
    const { resolve } = resolver({ [host]: [[address]] });
    await using executor = await startExecutor({
      env: { HTTP_EXECUTOR_ALLOWED_HOSTS: host },
      connect: { resolve },
    });
    const { code, detail } = await executor.problem({ method: 'GET', url: `http://${host}/` });
    expect([code, detail]).toEqual(['AddressNotAllowed', textWith(host)]);
    expect(detail).not.toMatch(/HTTP_EXECUTOR_ALLOWED_NETWORKS/);
  });
});

describe('the executor itself', () => {
  it.each(['GET', 'POST'])('is never reached through itself: %s', async (method) => {
    await using executor = await startExecutor();
    const { port } = new URL(executor.url);
    for (const host of ['127.0.0.1', 'localhost']) {
      const problem = await executor.problem({ method, url: `http://${host}:${port}/execute` });
      expect(problem).toMatchObject({ status: 403, code: 'AddressNotAllowed' });
    }
  });
});

/** A server on a loopback address that answers with the host it was asked for. */
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
    await using executor = await startExecutor({
      env: { HTTP_EXECUTOR_ALLOWED_HOSTS: '127.0.0.1' },
      connect: { resolve },
    });
    await executor.success({ method: 'GET', url: upstream.origin });
    expect(queries).toEqual([]);
  });

  it('reaches itself as IPv6, too, and sends its literal as the host', async () => {
    await using upstream = await listenOn('::1');
    await using executor = await startExecutor();
    const host = `[::1]:${upstream.port}`;
    const { body } = await executor.success({ method: 'GET', url: `http://${host}/` });
    expect(body).toEqual({ host });
    expect(upstream.hosts).toEqual([host]);
  });

  it.each([
    ['0.0.0.0', '127.0.0.1'],
    ['[::]', '::1'],
  ])('%s reaches nothing, although the system connects it to %s', async (host, loopback) => {
    await using upstream = await listenOn(loopback);
    await using executor = await startExecutor({ env: { HTTP_EXECUTOR_ALLOWED_HOSTS: host } });
    const url = `http://${host}:${upstream.port}/`;
    expect(await executor.problem({ method: 'POST', url })).toMatchObject({
      status: 403,
      code: 'AddressNotAllowed',
    });
    expect(upstream.hosts).toEqual([]);
  });
});

/**
 * A name that leads to the upstream at first, and to a refused address from the second
 * lookup on.
 */
const REBINDING: [name: string, first: Reply, then: string][] = [
  ['a private address', { status: 503, headers: { connection: 'close' } }, '10.0.0.1'],
  ['cloud metadata', { status: 503, headers: { connection: 'close' } }, '169.254.169.254'],
];

describe('a name that is rebound between attempts', () => {
  it.each(REBINDING)('to %s: an outcome, since something was sent', async (_name, first, then) => {
    await using upstream = await startUpstream(first);
    const { resolve, queries } = resolver({ 'api.test': [['127.0.0.1'], [then]] });
    const env = {
      HTTP_EXECUTOR_ALLOWED_HOSTS: 'api.test',
      HTTP_EXECUTOR_ALLOWED_NETWORKS: '127.0.0.0/8',
    };
    await using executor = await startExecutor({ env, clock: fakeClock(), connect: { resolve } });
    expect(await executor.outcome({ method: 'GET', url: url(upstream.port) })).toEqual({
      outcome: 'failure',
      error: 'ConnectFailure',
      message: textWith('api.test'),
      attempts: 2,
      history: [record(1, 'status', 200, 503)],
    });
    expect(queries).toHaveLength(2);
    expect(upstream.requests).toHaveLength(1);
  });

  const env = {
    HTTP_EXECUTOR_ALLOWED_HOSTS: 'api.test',
    HTTP_EXECUTOR_ALLOWED_NETWORKS: '127.0.0.0/8',
  };
  const rebound = () => resolver({ 'api.test': [['127.0.0.1'], ['10.0.0.1']] });

  it('between executions: a new connection is refused', async () => {
    await using upstream = await startUpstream({ headers: { connection: 'close' } });
    await using executor = await startExecutor({ env, connect: rebound() });
    await executor.success({ method: 'GET', url: url(upstream.port) });
    expect(await executor.problem({ method: 'GET', url: url(upstream.port) })).toMatchObject({
      status: 403,
      code: 'AddressNotAllowed',
    });
    expect(upstream.requests).toHaveLength(1);
  });

  it('between executions: a pooled connection leads where it led, and nothing is resolved', async () => {
    await using upstream = await startUpstream();
    const { resolve, queries } = rebound();
    await using executor = await startExecutor({ env, connect: { resolve } });
    for (let n = 0; n < 2; n++) await executor.success({ method: 'GET', url: url(upstream.port) });
    expect({ connections: upstream.connections, queries }).toEqual({
      connections: 1,
      queries: ['api.test'],
    });
  });
});
