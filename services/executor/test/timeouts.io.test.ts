import type { Socket } from 'node:net';
import { startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { type FakeClock, fakeClock } from './support/clock.ts';
import { type Executor, startExecutor } from './support/executor.ts';
import { record, textWith, threeRecords } from './support/outcomes.ts';
import { type RawScript, startRawUpstream } from './support/raw-upstream.ts';
import { resolver } from './support/resolver.ts';

const TIMEOUT = 500;
const env = { HTTP_EXECUTOR_ATTEMPT_TIMEOUT_MS: String(TIMEOUT) };

const DROPS = 10;

/** Writes text again and again; the time of the attempt is over after ten drops. */
const drip = (head: string, drop: string) => (clock: FakeClock) => ({
  asked: (socket: Socket) => {
    socket.write(head);
    let drops = 0;
    const timer = setInterval(() => {
      socket.write(drop);
      if (++drops <= DROPS) clock.pass(TIMEOUT / DROPS);
    }, 1);
    socket.on('close', () => clearInterval(timer));
  },
});

const SLOW: [name: string, script: (clock: FakeClock) => RawScript][] = [
  ['never answers', (clock) => ({ asked: () => clock.pass(TIMEOUT) })],
  ['drips its headers', drip('HTTP/1.1 200 OK\r\n', 'x-a: b\r\n')],
  ['drips one header', drip('HTTP/1.1 200 OK\r\nx-a: ', 'b')],
  ['drips its body', drip('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n', ' ')],
  ['drips chunks', drip('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\n \r\n')],
  ['drips a body without length', drip('HTTP/1.1 200 OK\r\n\r\n', ' ')],
  ['drips the body of a failure', drip('HTTP/1.1 404 No\r\ncontent-length: 100000\r\n\r\n', ' ')],
  [
    'drips the body of a redirect',
    drip('HTTP/1.1 302 Go\r\nlocation: /\r\ncontent-length: 100000\r\n\r\n', ' '),
  ],
  ['floods with 102', drip('', 'HTTP/1.1 102 Processing\r\n\r\n')],
  ['floods with 103', drip('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n')],
];

describe('an attempt ends in time', () => {
  const late = (failure: object) => ({ ...failure, duration_ms: TIMEOUT });

  it('once when it is a POST, three times when it is a GET, however slow the upstream is', async () => {
    for (const [name, script] of SLOW) {
      const clock = fakeClock();
      await using executor = await startExecutor({ env, clock });
      await using upstream = await startRawUpstream(script(clock));
      expect(await executor.failure({ method: 'POST', url: upstream.origin }), name).toEqual({
        outcome: 'failure',
        error: 'Timeout',
        message: textWith(new URL(upstream.origin).host, `${TIMEOUT} ms`),
        attempts: 1,
        history: [late(record(1, 'timeout', 0))],
      });
      await expect.poll(() => upstream.open, { message: name, interval: 5 }).toBe(0);
      expect(await executor.failure({ method: 'GET', url: upstream.origin }), name).toMatchObject({
        error: 'RetriesExhausted',
        attempts: 3,
        history: threeRecords('timeout').map(late),
        last_error: { error: 'Timeout' },
      });
      expect(upstream.requests, name).toBe(1 + 3);
    }
  });
});

describe('a connection that does not come about', () => {
  const start = (clock: FakeClock, answers: string[]) =>
    startExecutor({
      env: {
        ...env,
        HTTP_EXECUTOR_ALLOWED_HOSTS: 'api.test,localhost',
        HTTP_EXECUTOR_ALLOWED_NETWORKS: '127.0.0.0/8',
      },
      clock,
      connect: {
        resolve: resolver({ 'api.test': ['never', answers], localhost: [['127.0.0.1']] }, () =>
          clock.pass(TIMEOUT),
        ).resolve,
      },
    });

  it('a resolver that does not answer is a timeout, and does not spoil the next attempt', async () => {
    await using upstream = await startUpstream();
    await using executor = await start(fakeClock(), ['127.0.0.1']);
    expect(
      await executor.success({ method: 'GET', url: `http://api.test:${upstream.port}/` }),
    ).toMatchObject({
      attempts: 2,
      history: [record(1, 'timeout', 200)],
    });
  });

  // contract: the attempt is over, so nothing of it may stay behind; each such socket
  // would be held for ever.
  it('a TLS handshake that is not answered is a timeout, and its sockets are closed', async () => {
    const clock = fakeClock();
    await using upstream = await startRawUpstream({ connected: () => clock.pass(TIMEOUT) });
    await using executor = await start(clock, []);
    const url = `https://localhost:${upstream.port}/`;
    expect(await executor.failure({ method: 'GET', url })).toMatchObject({
      error: 'RetriesExhausted',
      history: threeRecords('timeout'),
    });
    expect(upstream.connections).toBe(3);
    await expect.poll(() => upstream.open, { interval: 5 }).toBe(0);
  });
});

describe('the total time', () => {
  const start = (ms: number, clock = fakeClock()): Promise<Executor> =>
    startExecutor({ env: { HTTP_EXECUTOR_TOTAL_TIMEOUT_MS: String(ms) }, clock });

  it.each([
    [200, 1],
    [201, 2],
    [600, 2],
    [601, 3],
  ])('of %i ms has room for %i attempts', async (ms, attempts) => {
    await using upstream = await startUpstream({ status: 503 });
    await using executor = await start(ms);
    const failure = await executor.failure({ method: 'GET', url: upstream.origin });
    expect(failure).toMatchObject({
      error: attempts === 3 ? 'RetriesExhausted' : 'Timeout',
      attempts,
    });
    expect(failure.history).toHaveLength(attempts);
    expect(failure.history.at(-1)).toEqual(record(attempts, 'status', 0, 503));
    expect(failure.last_error).toMatchObject({ error: 'HttpFailure', status: 503 });
    expect(upstream.requests).toHaveLength(attempts);
  });

  it('shortens the last attempt', async () => {
    const clock = fakeClock();
    await using upstream = await startUpstream(() => {});
    await using executor = await startExecutor({
      env: { HTTP_EXECUTOR_ATTEMPT_TIMEOUT_MS: '2000', HTTP_EXECUTOR_TOTAL_TIMEOUT_MS: '3000' },
      clock,
    });
    const failed = executor.failure({ method: 'GET', url: upstream.origin });
    for (const [attempt, ms] of [2_000, 800].entries()) {
      await expect.poll(() => upstream.requests.length, { interval: 5 }).toBe(attempt + 1);
      clock.pass(ms);
    }
    const { error, attempts, history } = await failed;
    expect({ error, attempts }).toEqual({ error: 'Timeout', attempts: 2 });
    expect(history.map(({ duration_ms }) => duration_ms)).toEqual([2_000, 800]);
    expect(upstream.requests).toHaveLength(2);
  });

  it('ends in an attempt of which nothing was sent, and the message says that of the last one alone', async () => {
    const clock = fakeClock();
    await using upstream = await startUpstream({ status: 503, headers: { connection: 'close' } });
    await using executor = await startExecutor({
      env: {
        HTTP_EXECUTOR_TOTAL_TIMEOUT_MS: '600',
        HTTP_EXECUTOR_ALLOWED_HOSTS: 'api.test',
        HTTP_EXECUTOR_ALLOWED_NETWORKS: '127.0.0.0/8',
      },
      clock,
      connect: {
        resolve: resolver({ 'api.test': [['127.0.0.1'], 'never'] }, () => clock.pass(400)).resolve,
      },
    });
    const failure = await executor.failure({
      method: 'DELETE',
      url: `http://api.test:${upstream.port}/`,
    });
    expect(upstream.requests).toHaveLength(1);
    expect(failure).toMatchObject({ error: 'Timeout', attempts: 2 });
    expect(failure.message).toMatch(
      /^The total time leaves no room for another attempt\. The last: .*Nothing was sent\.$/,
    );
    expect(failure.last_error).toMatchObject({ error: 'HttpFailure', status: 503 });
  });

  type Step = 503 | 'broken' | 'late' | 'hangs';
  it.each<[steps: Step[], error: string, last: object | undefined]>([
    [['hangs'], 'Timeout', undefined],
    [['late', 'hangs'], 'Timeout', undefined],
    [[503, 'hangs'], 'Timeout', { error: 'HttpFailure', status: 503, retry_after_ms: 0 }],
    [[503, 'broken', 'hangs'], 'Timeout', { error: 'ConnectFailure' }],
    [[503, 'late', 'hangs'], 'Timeout', { error: 'HttpFailure', status: 503 }],
    [['late', 503, 'hangs'], 'Timeout', { error: 'HttpFailure', status: 503 }],
    [['late', 'late', 'hangs'], 'Timeout', undefined],
    [['late', 'late', 503], 'RetriesExhausted', { error: 'HttpFailure', status: 503 }],
    [['late', 'late', 'late'], 'RetriesExhausted', { error: 'Timeout' }],
    [['late', 503, 'broken'], 'RetriesExhausted', { error: 'ConnectFailure' }],
  ])('%j: `last_error` is the latest failure of another kind', async (steps, error, last) => {
    const clock = fakeClock();
    const before = steps.slice(0, -1);
    const waits = [0, 200, 600][before.length] ?? 0;
    const left = steps.at(-1) === 'hangs' ? 500 : 1_001;
    const total = before.filter((step) => step === 'late').length * 1_000 + waits + left;
    await using own = await startExecutor({
      env: {
        HTTP_EXECUTOR_ATTEMPT_TIMEOUT_MS: '1000',
        HTTP_EXECUTOR_TOTAL_TIMEOUT_MS: String(total),
      },
      clock,
    });
    await using upstream = await startUpstream((_request, response) => {
      const step = steps[upstream.requests.length - 1];
      if (step === 503) response.writeHead(503, { 'retry-after': '0' }).end();
      else if (step === 'broken') response.destroy();
      else clock.pass(step === 'late' ? 1_000 : left);
    });
    const failure = await own.failure({ method: 'GET', url: upstream.origin });
    expect(failure).toMatchObject({ error, attempts: steps.length });
    expect(failure.history).toHaveLength(steps.length);
    if (last === undefined) expect(failure).not.toHaveProperty('last_error');
    else expect(failure.last_error).toMatchObject(last);
    if (steps.at(-1) === 'hangs')
      expect(failure.message).toMatch(/did not answer completely within \d+ ms; it may have acted/);
  });

  it('is the limit of a single attempt too, by the clock of the system', async () => {
    await using upstream = await startUpstream(() => {});
    await using executor = await startExecutor({ env: { HTTP_EXECUTOR_TOTAL_TIMEOUT_MS: '100' } });
    const failure = await executor.failure({ method: 'POST', url: upstream.origin });
    expect(failure).toMatchObject({ error: 'Timeout', message: textWith('100 ms'), attempts: 1 });
  });
});
