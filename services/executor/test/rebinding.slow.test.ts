import { reply, type Script, startUpstream, type Upstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { type Canary, startCanary } from './support/canary.ts';
import { fakeClock } from './support/clock.ts';
import { startExecutor } from './support/executor.ts';
import { record, textWith, threeRecords } from './support/outcomes.ts';
import { type Resolver, resolver } from './support/resolver.ts';

/**
 * The first address of a name stands for a public one: it is loopback, which the operator
 * opened, so that nothing leaves the machine. The others lie outside that network, and
 * where loopback has them, the canary listens there.
 */
const FIRST = '127.0.0.1';
const REBOUND: [name: string, to: string[]][] = [
  ['loopback elsewhere', ['127.0.0.2']],
  ['IPv6 loopback', ['::1']],
  ['unspecified', ['0.0.0.0']],
  ['private', ['10.0.0.1']],
  ['IPv6 alone, unique local', ['fd00::1']],
  ['cloud metadata', ['169.254.169.254']],
  ['the first address, then a private one', [FIRST, '::1']],
  ['a private address, then the first one', ['::1', FIRST]],
];

/**
 * An upstream on the first address, and on the same port of all others, as far as there
 * are any, the canary.
 */
async function startPair(script: Script) {
  for (;;) {
    const stack = new AsyncDisposableStack();
    const upstream: Upstream = stack.use(await startUpstream(script));
    const canary: Canary = stack.use(await startCanary(upstream.port));
    if (canary.addresses.length > 0 || process.platform !== 'linux')
      return { upstream, canary, stack };
    await stack.disposeAsync();
  }
}

const start = (
  { resolve }: Pick<Resolver, 'resolve'>,
  env: Record<string, string> = {},
  clock = fakeClock(),
) =>
  startExecutor({
    env: {
      HTTP_EXECUTOR_ALLOWED_HOSTS: '*.test',
      HTTP_EXECUTOR_ALLOWED_NETWORKS: `${FIRST}/32`,
      ...env,
    },
    clock,
    connect: { resolve },
  });

/** Closes its connection, so that the next request has to look for the name again. */
const CLOSING = { headers: { connection: 'close' } };
const get = (host: string, port: number, path = '/') => ({
  method: 'GET',
  url: `http://${host}:${port}${path}`,
});

describe.each(REBOUND)('a name that is rebound to %s', (_name, to) => {
  it('between two executions is refused', async () => {
    const { upstream, canary, stack } = await startPair(CLOSING);
    await using _ = stack;
    await using executor = await start(resolver({ 'api.test': [[FIRST], to] }));
    await executor.success(get('api.test', upstream.port));
    for (const method of ['GET', 'POST']) {
      const problem = await executor.problem({ ...get('api.test', upstream.port), method });
      expect(problem).toMatchObject({
        status: 403,
        code: 'AddressNotAllowed',
        detail: textWith('api.test'),
      });
    }
    expect({ requests: upstream.requests.length, canary: canary.connections }).toEqual({
      requests: 1,
      canary: 0,
    });
  });

  it('between a dry run and the execution is refused', async () => {
    const { upstream, canary, stack } = await startPair({});
    await using _ = stack;
    await using executor = await start(resolver({ 'api.test': [[FIRST], to] }));
    expect((await executor.dryRun(get('api.test', upstream.port))).status).toBe(200);
    expect(await executor.problem(get('api.test', upstream.port))).toMatchObject({
      code: 'AddressNotAllowed',
    });
    expect({ connections: upstream.connections, canary: canary.connections }).toEqual({
      connections: 0,
      canary: 0,
    });
  });

  it.each([1, 2])('after %i attempts ends the execution', async (failures) => {
    const { upstream, canary, stack } = await startPair({ status: 503, ...CLOSING });
    await using _ = stack;
    const answers = [...Array<string[]>(failures).fill([FIRST]), to];
    await using executor = await start(resolver({ 'api.test': answers }));
    expect(await executor.failure(get('api.test', upstream.port))).toMatchObject({
      error: 'ConnectFailure',
      attempts: failures + 1,
      history: [200, 400]
        .slice(0, failures)
        .map((delay, index) => record(index + 1, 'status', delay, 503)),
    });
    expect({ requests: upstream.requests.length, canary: canary.connections }).toEqual({
      requests: failures,
      canary: 0,
    });
  });

  it.each([1, 3])('after %i redirects on the same host is not followed', async (hops) => {
    const { upstream, canary, stack } = await startPair(({ url }, response) => {
      const location = `/${Number(url.slice(1)) + 1}`;
      reply(response, { ...CLOSING, status: 302, headers: { ...CLOSING.headers, location } });
    });
    await using _ = stack;
    await using executor = await start(
      resolver({ 'api.test': [...Array<string[]>(hops).fill([FIRST]), to] }),
    );
    expect(await executor.failure(get('api.test', upstream.port, '/0'))).toMatchObject({
      error: 'HttpFailure',
      status: 302,
      headers: { location: `/${hops}` },
      attempts: 1,
    });
    expect({ requests: upstream.requests.length, canary: canary.connections }).toEqual({
      requests: hops,
      canary: 0,
    });
  });

  it('between the redirects of two hosts is not followed', async () => {
    const { upstream, canary, stack } = await startPair(({ url, headers }, response) => {
      const location = `http://${headers.host?.startsWith('a') ? 'b' : 'a'}.test:${upstream.port}/${url.length}`;
      reply(response, { status: 307, headers: { ...CLOSING.headers, location } });
    });
    await using _ = stack;
    await using executor = await start(resolver({ 'a.test': [[FIRST], to], 'b.test': [[FIRST]] }));
    expect(await executor.failure(get('a.test', upstream.port))).toMatchObject({
      error: 'HttpFailure',
      status: 307,
      message: textWith('a.test', 'refused'),
    });
    expect(upstream.requests.map(({ headers }) => headers.host?.slice(0, 1))).toEqual(['a', 'b']);
    expect(canary.connections).toBe(0);
  });
});

describe('a resolver that does not answer', () => {
  const TIMEOUT = 100;
  const env = { HTTP_EXECUTOR_ATTEMPT_TIMEOUT_MS: String(TIMEOUT) };
  const startSilent = () => {
    const clock = fakeClock();
    return start(
      resolver({ 'api.test': ['never'] }, () => clock.pass(TIMEOUT)),
      env,
      clock,
    );
  };

  it.each([
    ['GET', { error: 'RetriesExhausted', attempts: 3, history: threeRecords('timeout') }],
    ['POST', { error: 'Timeout', attempts: 1, history: [record(1, 'timeout', 0)] }],
  ])('ends each attempt at its deadline: %s', async (method, expected) => {
    await using executor = await startSilent();
    expect(await executor.failure({ ...get('api.test', 80), method })).toMatchObject(expected);
  });

  it('ends a dry run there too', async () => {
    await using executor = await startSilent();
    const answer = await executor.dryRun(get('api.test', 80));
    expect(await answer.json()).toMatchObject({
      outcome: 'dry_run',
      addresses: [],
      message: textWith('in time'),
    });
  });

  it.each([FIRST, '127.0.0.2'])(
    'and answers after the deadline, with %s, leads nowhere',
    async (late) => {
      const { upstream, canary, stack } = await startPair({});
      await using _ = stack;
      await using elsewhere = await startUpstream();
      const answers: (() => void)[] = [];
      const clock = fakeClock();
      const resolve: Resolver['resolve'] = (hostname, callback) => {
        const answer = (address: string) => callback(null, [{ address, family: 4 }]);
        if (hostname === 'good.test') return answer(FIRST);
        answers.push(() => answer(late));
        queueMicrotask(() => clock.pass(TIMEOUT));
      };
      await using executor = await start({ resolve }, env, clock);
      const post = { ...get('api.test', upstream.port), method: 'POST' };
      expect(await executor.failure(post)).toMatchObject({ error: 'Timeout' });
      answers.shift()?.();
      expect(await executor.failure(post)).toMatchObject({ error: 'Timeout' });
      // By the end of a whole exchange, a connection begun before it would have been seen.
      await executor.success(get('good.test', elsewhere.port));
      expect({ connections: upstream.connections, canary: canary.connections }).toEqual({
        connections: 0,
        canary: 0,
      });
    },
  );
});

describe('a resolver without a usable answer', () => {
  const REFUSED = { status: 403, code: 'AddressNotAllowed' };

  it.each([
    ['no address at all', [], { outcome: 'failure', error: 'ConnectFailure' }],
    ['text that is no address', ['localhost'], REFUSED],
    ['an address in parts that no address has', ['127.0.0.1.1'], REFUSED],
  ])('%s: nothing is sent', async (_name, answer, expected) => {
    const { upstream, canary, stack } = await startPair({});
    await using _ = stack;
    await using executor = await start(resolver({ 'api.test': [answer] }));
    const response = await executor.execute({ ...get('api.test', upstream.port), method: 'POST' });
    expect(await response.json()).toMatchObject(expected);
    expect({ connections: upstream.connections, canary: canary.connections }).toEqual({
      connections: 0,
      canary: 0,
    });
  });
});
