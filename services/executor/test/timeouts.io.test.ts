import { shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { fakeClock } from './support/clock.ts';
import { type ExecutorSetup, startExecutor } from './support/executor.ts';
import { record, textWith, threeRecords } from './support/outcomes.ts';
import { type RawScript, startRawUpstream } from './support/raw-upstream.ts';
import { resolver } from './support/resolver.ts';

/** Enough for a request to arrive on a busy machine. */
const TIMEOUT = 500;
const env = { HTTP_EXECUTOR_ATTEMPT_TIMEOUT_MS: String(TIMEOUT) };

/** Writes text again and again, faster than any timer between two writes would notice. */
const drip = (head: string, drop: string): RawScript => ({
  asked: (socket) => {
    socket.write(head);
    const timer = setInterval(() => socket.write(drop), 10);
    socket.on('close', () => clearInterval(timer));
  },
});

const SLOW: [name: string, script: RawScript][] = [
  ['never answers', {}],
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

describe('an attempt ends in time when the upstream', { concurrent: true }, () => {
  const executor = shared(() => startExecutor({ env, clock: fakeClock() }));

  it.for(SLOW)('%s', async ([, script], { expect }) => {
    await using upstream = await startRawUpstream(script);
    const before = performance.now();
    const failure = await executor().failure({ method: 'POST', url: upstream.origin });
    expect(performance.now() - before).toBeGreaterThanOrEqual(TIMEOUT - 1);
    expect(failure).toEqual({
      outcome: 'failure',
      error: 'Timeout',
      message: textWith(new URL(upstream.origin).host, `${TIMEOUT} ms`),
      attempts: 1,
      history: [record(1, 'timeout', 0)],
    });
    await expect.poll(() => upstream.open).toBe(0);
  });

  it.for(SLOW.slice(0, 4))('%s: GET is tried three times', async ([, script], { expect }) => {
    await using upstream = await startRawUpstream(script);
    expect(await executor().failure({ method: 'GET', url: upstream.origin })).toMatchObject({
      error: 'RetriesExhausted',
      attempts: 3,
      history: threeRecords('timeout'),
      last_error: { error: 'Timeout' },
    });
    expect(upstream.requests).toBe(3);
  });
});

describe('a connection that does not come about', () => {
  const setup = (answers: string[]): ExecutorSetup => ({
    env: {
      ...env,
      HTTP_EXECUTOR_ALLOWED_HOSTS: 'api.test,localhost',
      HTTP_EXECUTOR_ALLOWED_NETWORKS: '127.0.0.0/8',
    },
    clock: fakeClock(),
    connect: {
      resolve: resolver({ 'api.test': ['never', answers], localhost: [['127.0.0.1']] }).resolve,
    },
  });

  it('a resolver that does not answer is a timeout, and does not spoil the next attempt', async () => {
    await using upstream = await startUpstream();
    await using executor = await startExecutor(setup(['127.0.0.1']));
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
    await using upstream = await startRawUpstream({});
    await using executor = await startExecutor(setup([]));
    const url = `https://localhost:${upstream.port}/`;
    expect(await executor.failure({ method: 'GET', url })).toMatchObject({
      error: 'RetriesExhausted',
      history: threeRecords('timeout'),
    });
    expect(upstream.connections).toBe(3);
    await expect.poll(() => upstream.open, { timeout: 2_000 }).toBe(0);
  });
});

describe('the total time', () => {
  const total = (ms: number): ExecutorSetup => ({
    env: { HTTP_EXECUTOR_TOTAL_TIMEOUT_MS: String(ms) },
    clock: fakeClock(),
  });

  it.each([
    [150, 1],
    [500, 2],
    [5_000, 3],
  ])('of %i ms has room for %i attempts', async (ms, attempts) => {
    await using upstream = await startUpstream({ status: 503 });
    await using executor = await startExecutor(total(ms));
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
    await using upstream = await startUpstream(() => {});
    await using executor = await startExecutor({
      env: { HTTP_EXECUTOR_ATTEMPT_TIMEOUT_MS: '2000', HTTP_EXECUTOR_TOTAL_TIMEOUT_MS: '3000' },
      clock: fakeClock(),
    });
    const before = performance.now();
    const failure = await executor.failure({ method: 'GET', url: upstream.origin });
    expect(performance.now() - before).toBeGreaterThanOrEqual(2_700);
    expect(performance.now() - before).toBeLessThan(3_900);
    expect(failure).toMatchObject({ error: 'Timeout', attempts: 2 });
    expect(upstream.requests).toHaveLength(2);
  });

  it('ends in an attempt of which nothing was sent, and the message says that of the last one alone', async () => {
    await using upstream = await startUpstream({ status: 503, headers: { connection: 'close' } });
    await using executor = await startExecutor({
      env: {
        HTTP_EXECUTOR_TOTAL_TIMEOUT_MS: '600',
        HTTP_EXECUTOR_ALLOWED_HOSTS: 'api.test',
        HTTP_EXECUTOR_ALLOWED_NETWORKS: '127.0.0.0/8',
      },
      clock: fakeClock(),
      connect: { resolve: resolver({ 'api.test': [['127.0.0.1'], 'never'] }).resolve },
    });
    const failure = await executor.failure({
      method: 'DELETE',
      url: `http://api.test:${upstream.port}/`,
    });
    expect(upstream.requests).toHaveLength(1);
    expect(failure).toMatchObject({ error: 'Timeout', attempts: 2 });
    expect(failure.message).toMatch(
      /^The total time leaves no room for attempt 3\. The last: .*Nothing was sent\.$/,
    );
  });

  it('is the limit of a single attempt too', async () => {
    await using upstream = await startUpstream(() => {});
    await using executor = await startExecutor({ env: { HTTP_EXECUTOR_TOTAL_TIMEOUT_MS: '100' } });
    const failure = await executor.failure({ method: 'POST', url: upstream.origin });
    expect(failure).toMatchObject({ error: 'Timeout', message: textWith('100 ms'), attempts: 1 });
  });
});
