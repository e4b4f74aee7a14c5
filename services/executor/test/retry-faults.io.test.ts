import { METHODS, type Method } from '@gatehouse/contracts';
import { type Certificate, freePort, selfSigned, shared, startUpstream } from '@gatehouse/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from './support/clock.ts';
import { type ExecutorSetup, startExecutor } from './support/executor.ts';
import { record, textWith, threeRecords } from './support/outcomes.ts';
import { type RawScript, startRawUpstream } from './support/raw-upstream.ts';
import { loopback, resolver } from './support/resolver.ts';

const clock = fakeClock();
const ATTEMPT_TIMEOUT_MS = 15_000;
const executor = shared(() => startExecutor({ clock }));
beforeEach(() => clock.restart());

const RETRIED: readonly Method[] = ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'];
const attemptsOf = (method: Method) => (RETRIED.includes(method) ? 3 : 1);

/** Ways in which a connection breaks; HEAD has no body to be cut off. */
const BREAKS: [name: string, script: RawScript, methods: readonly Method[]][] = [
  ['closed at once', { connected: (socket) => socket.end() }, METHODS],
  ['reset at once', { connected: (socket) => socket.resetAndDestroy() }, METHODS],
  ['closed after the request', { asked: (socket) => socket.end() }, METHODS],
  ['reset after the request', { asked: (socket) => socket.resetAndDestroy() }, METHODS],
  [
    'cut off in the head',
    { asked: (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-le') },
    METHODS,
  ],
  [
    'cut off in the body',
    sends('content-length: 20\r\n\r\n{"a":'),
    METHODS.filter((method) => method !== 'HEAD'),
  ],
  [
    'cut off before the body',
    sends('content-length: 20\r\n\r\n'),
    METHODS.filter((method) => method !== 'HEAD'),
  ],
  [
    'cut off in a chunk',
    sends('transfer-encoding: chunked\r\n\r\n9\r\n{"a":'),
    ['GET', 'PUT', 'POST'],
  ],
  [
    'cut off between chunks',
    sends('transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n'),
    ['GET', 'PUT', 'POST'],
  ],
  ['cut off in the body of a 404', sends('content-length: 9\r\n\r\n{', '404 No'), ['GET', 'POST']],
];

function sends(rest: string, status = '200 OK'): RawScript {
  return { asked: (socket) => socket.end(`HTTP/1.1 ${status}\r\n${rest}`) };
}

describe('a connection that breaks', () => {
  it.each(BREAKS)(
    '%s: is tried three times, a POST and a PATCH once',
    async (_name, script, methods) => {
      for (const method of methods) {
        clock.restart();
        await using upstream = await startRawUpstream(script);
        const outcome = await executor().failure({ method, url: upstream.origin });
        const thrice = attemptsOf(method) === 3;
        expect(upstream.connections, method).toBe(attemptsOf(method));
        expect(clock.waits, method).toEqual(thrice ? [200, 400] : []);
        const broken = { error: 'ConnectFailure', message: textWith('broke') };
        expect(outcome, method).toMatchObject(
          thrice
            ? { error: 'RetriesExhausted', attempts: 3, history: threeRecords('connect') }
            : { ...broken, attempts: 1, history: [record(1, 'connect', 0)] },
        );
        if (thrice) expect(outcome.last_error, method).toEqual(broken);
      }
    },
  );

  it.each(['GET', 'PUT', 'DELETE'])('%s works at the third attempt', async (method) => {
    await using upstream = await startRawUpstream({
      asked: (socket, request) =>
        request < 3
          ? socket.resetAndDestroy()
          : socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ntrue'),
    });
    expect(await executor().success({ method, url: upstream.origin })).toMatchObject({
      body: true,
      attempts: 3,
      history: [record(1, 'connect', 200), record(2, 'connect', 400)],
    });
  });
});

describe('a protocol switch that nobody asked for', () => {
  const headers = ['', 'upgrade: h2c\r\n', 'connection: upgrade\r\nupgrade: h2c\r\n'];

  it.each(headers)('with %j is not retried', async (lines) => {
    await using upstream = await startRawUpstream({
      asked: (socket) => socket.write(`HTTP/1.1 101 Go\r\n${lines}\r\n`),
    });
    const failure = await executor().failure({ method: 'GET', url: upstream.origin });
    expect(failure).toMatchObject({ error: 'RequestFailed', attempts: 1, history: [] });
    await expect.poll(() => upstream.open).toBe(0);
  });
});

describe('a connection that does not come about', () => {
  it.each(METHODS)('refused: %s', async (method) => {
    const url = `http://127.0.0.1:${await freePort()}/`;
    const { attempts, history } = await executor().failure({ method, url });
    expect(attempts).toBe(attemptsOf(method));
    expect(history).toHaveLength(attempts);
    expect(clock.waits).toHaveLength(attempts - 1);
  });

  it('refused at first: works as soon as the upstream is there', async () => {
    const port = await freePort();
    await using stack = new AsyncDisposableStack();
    const clock = fakeClock();
    const listening = {
      ...clock,
      wait: async () => void stack.use(await startUpstream({}, undefined, port)),
    };
    await using own = await startExecutor({ clock: listening });
    expect(await own.success({ method: 'GET', url: `http://127.0.0.1:${port}/` })).toMatchObject({
      attempts: 2,
      history: [record(1, 'connect', 200)],
    });
  });
});

const CODES = [
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ETIMEDOUT',
  'ECONNREFUSED',
];
const LOOKUPS = [...CODES.map((code) => [code] as const), [[], 'ENODATA'] as const].flatMap(
  ([answer, code = answer]) =>
    (['GET', 'POST'] as const).map((method) => ({
      answer,
      code,
      method,
      host: `${code}-${method}.test`.toLowerCase(),
    })),
);

describe('an address that no connection leads to', () => {
  it('is unreachable: the system says so at once, and it is retried', async () => {
    // Linux connects TCP to no multicast address.
    const env = {
      HTTP_EXECUTOR_ALLOWED_HOSTS: 'api.test',
      HTTP_EXECUTOR_ALLOWED_NETWORKS: '224.0.0.0/4',
    };
    const { resolve } = resolver({ 'api.test': [['224.0.0.1']] });
    await using own = await startExecutor({ env, clock, connect: { resolve } });
    const message = /`api\.test` cannot be used: its network is unreachable \(ENETUNREACH\)/;
    const url = 'http://api.test/';
    const failure = await own.failure({ method: 'GET', url });
    expect(failure).toMatchObject({ error: 'RetriesExhausted', attempts: 3 });
    expect(failure.last_error).toMatchObject({
      error: 'ConnectFailure',
      message: expect.stringMatching(message),
    });
    expect(await own.failure({ method: 'POST', url })).toMatchObject({
      error: 'ConnectFailure',
      message: expect.stringMatching(message),
      attempts: 1,
    });
  });
});

describe('a name that does not resolve', () => {
  const { resolve, queries } = resolver(
    Object.fromEntries(LOOKUPS.map(({ host, answer }) => [host, [answer]])),
  );
  const env = { HTTP_EXECUTOR_ALLOWED_HOSTS: '*.test' };
  const resolving = shared(() => startExecutor({ env, clock: fakeClock(), connect: { resolve } }));

  it('is asked for again where the method may be sent again, whatever the resolver says', async () => {
    for (const { method, host, code } of LOOKUPS) {
      const outcome = await resolving().failure({ method, url: `http://${host}/` });
      expect(queries.filter((name) => name === host)).toHaveLength(attemptsOf(method));
      expect(outcome.history, host).toHaveLength(attemptsOf(method));
      const failed = { error: 'ConnectFailure', message: textWith(host, String(code)) };
      expect(outcome.last_error ?? outcome).toMatchObject(failed);
    }
  });
});

describe('an attempt that times out', () => {
  it('is tried three times where the method may be sent again', async () => {
    for (const method of METHODS) {
      await using upstream = await startUpstream(() => clock.pass(ATTEMPT_TIMEOUT_MS));
      const outcome = await executor().failure({ method, url: upstream.origin });
      expect(upstream.requests, method).toHaveLength(attemptsOf(method));
      expect(outcome.last_error?.error ?? outcome.error, method).toBe('Timeout');
      if (attemptsOf(method) === 3)
        expect(outcome.history, method).toEqual(threeRecords('timeout'));
    }
  });
});

const TLS: [name: string, certificate: Certificate, setup: ExecutorSetup][] = [
  ['that nobody vouches for', await selfSigned('localhost'), {}],
  ...[await selfSigned('elsewhere.test')].map(
    (certificate): [string, Certificate, ExecutorSetup] => [
      'for another name',
      certificate,
      { connect: { ca: certificate.cert } },
    ],
  ),
];

describe('a refused certificate', () => {
  it.each(TLS)('%s is not retried', async (_name, certificate, setup) => {
    await using upstream = await startUpstream({}, certificate);
    const clock = fakeClock();
    await using own = await startExecutor({ ...setup, clock });
    const outcome = await own.outcome({ method: 'GET', url: upstream.origin });
    expect(outcome).toEqual({
      outcome: 'failure',
      error: 'ConnectFailure',
      message: textWith('TLS', new URL(upstream.origin).host),
      attempts: 1,
      history: [],
    });
    expect({ waits: clock.waits, requests: upstream.requests }).toEqual({
      waits: [],
      requests: [],
    });
  });

  it('a trusted one works', async () => {
    const certificate = await selfSigned('localhost', 'api.example.test');
    await using upstream = await startUpstream({}, certificate);
    const { resolve } = loopback('api.example.test');
    const env = {
      HTTP_EXECUTOR_ALLOWED_HOSTS: 'api.example.test',
      HTTP_EXECUTOR_ALLOWED_NETWORKS: '127.0.0.0/8',
    };
    await using own = await startExecutor({ env, connect: { resolve, ca: certificate.cert } });
    await own.success({ method: 'GET', url: `https://api.example.test:${upstream.port}/` });
    expect(upstream.requests).toHaveLength(1);
  });

  it('https to a port that speaks http is not retried', async () => {
    await using upstream = await startUpstream();
    const outcome = await executor().failure({
      method: 'GET',
      url: upstream.origin.replace('http:', 'https:'),
    });
    expect(outcome).toMatchObject({ error: 'ConnectFailure', attempts: 1, history: [] });
  });
});
