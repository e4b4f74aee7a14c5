import { METHODS, type Method, RETRIED_METHODS } from '@gatehouse/contracts';
import { freePort, selfSigned, shared, startUpstream } from '@gatehouse/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AttemptEnd, AttemptStart, RetryEvent } from '../../src/index.ts';
import { fakeClock } from '../support/clock.ts';
import { LOCAL_NAMES, startExecutor } from '../support/executor.ts';
import { record, threeRecords } from '../support/outcomes.ts';
import { startSite } from '../support/site.ts';

const clock = fakeClock();
const hosts = ['*.test', '127.0.0.1', 'localhost'];
const executor = shared(() =>
  startExecutor({ ...LOCAL_NAMES, hosts, clock, attemptTimeoutMs: 400 }),
);
const site = shared(startSite);
beforeEach(() => clock.restart());

const TRANSIENT = [429, 500, 501, 502, 503, 504, 599];
const SETTLED = [200, 204, 301, 304, 400, 401, 404, 408, 409, 422, 428, 430, 499, 600];

/**
 * Number of attempts that the executor makes for a method and a status (docs/contract.md,
 * "Retries").
 */
const attemptsOf = (method: Method, status: number) =>
  TRANSIENT.includes(status) && RETRIED_METHODS.includes(method) ? 3 : 1;

function outcomeOf(status: number, attempts: number): object {
  if (attempts === 3)
    return {
      error: 'RetriesExhausted',
      attempts,
      history: threeRecords('status', status),
      last_error: { error: 'HttpFailure', status },
    };
  const kind = status < 300 ? { outcome: 'success' } : { error: 'HttpFailure' };
  return { ...kind, status, attempts };
}

describe('a status that every attempt gets', () => {
  it.each(METHODS)('gets three attempts, or one if it is never retried: %s', async (method) => {
    for (const status of [...SETTLED, ...TRANSIENT]) {
      clock.restart();
      const attempts = attemptsOf(method, status);
      const url = site().serve({ status });
      const outcome = await executor().outcome({ method, url });
      expect(site().received(url), `${status}`).toHaveLength(attempts);
      expect(clock.waits, `${status}`).toEqual(attempts === 3 ? [200, 400] : []);
      expect(outcome).toMatchObject(outcomeOf(status, attempts));
    }
  });
});

describe('an upstream that recovers', () => {
  it.each(RETRIED_METHODS)('%s works after one failure, and after two', async (method) => {
    for (const failures of [[503], [429, 500]]) {
      clock.restart();
      const url = site().serve(...failures.map((status) => ({ status })), { status: 200 });
      const waits = [200, 400].slice(0, failures.length);
      expect(await executor().success({ method, url })).toMatchObject({
        attempts: failures.length + 1,
        history: failures.map((status, at) => record(at + 1, 'status', waits[at] ?? 0, status)),
      });
      expect(clock.waits).toEqual(waits);
      expect(site().received(url)).toHaveLength(failures.length + 1);
    }
  });

  it('gets the same request each time', async () => {
    const url = site().serve({ status: 500 }, { status: 502 }, {});
    const headers = { authorization: 'Bearer abcdef', 'x-a': '1' };
    await executor().success({ method: 'PUT', url: `${url}?y=z`, headers, body: { a: 1 } });
    const [first, ...others] = site()
      .received(url)
      .map(({ connection: _, ...request }) => request);
    expect(first).toMatchObject({ body: '{"a":1}', headers });
    expect(first?.url).toMatch(/\?y=z$/);
    expect(others).toEqual([first, first]);
  });
});

describe('time', () => {
  it('of at least 200 and 400 ms passes between attempts', async () => {
    const times: number[] = [];
    await using upstream = await startUpstream((_request, response) => {
      times.push(performance.now());
      response.writeHead(503).end();
    });
    await using own = await startExecutor();
    const { history } = await own.failure({ method: 'GET', url: upstream.origin });
    const [first = 0, second = 0, third = 0] = times;
    expect(second - first).toBeGreaterThanOrEqual(199);
    expect(third - second).toBeGreaterThanOrEqual(399);
    expect(history).toEqual(threeRecords('status', 503));
  });

  it('of an attempt is recorded in whole milliseconds', async () => {
    await using upstream = await startUpstream((_request, response) => {
      clock.pass(59.6);
      response.writeHead(500).end();
    });
    const { history } = await executor().failure({ method: 'GET', url: upstream.origin });
    expect(history.map(({ duration_ms }) => duration_ms)).toEqual([60, 60, 60]);
  });

  it('of a wait is cut short by shutdown', async () => {
    const draining = new AbortController();
    const wait = async (_ms: number, signal: AbortSignal) => {
      draining.abort();
      signal.throwIfAborted();
    };
    const ending = { clock: { ...fakeClock(), wait }, draining: draining.signal };
    await using own = await startExecutor(ending);
    const url = site().serve({ status: 503 });
    const retries: RetryEvent[] = [];
    const onRetry = (event: RetryEvent) => void retries.push(event);
    expect(await own.outcome({ method: 'GET', url }, { onRetry })).toMatchObject({
      error: 'RetriesExhausted',
      attempts: 1,
      history: [record(1, 'status', 0, 503)],
    });
    expect(retries).toEqual([]);
    expect(site().received(url)).toHaveLength(1);
  });
});

const stranger = await selfSigned('localhost');

describe('an observer of an execution', () => {
  /** Runs an action, and returns the events that its observers received. */
  async function heard(action: { method: string; url: string }) {
    const [starts, ends, retries]: [AttemptStart[], AttemptEnd[], RetryEvent[]] = [[], [], []];
    const observe = (start: AttemptStart) => {
      starts.push(start);
      return { ended: (end: AttemptEnd) => void ends.push(end) };
    };
    const onRetry = (event: RetryEvent) => void retries.push(event);
    await executor()
      .outcome(action, { observe, onRetry })
      .catch(() => {});
    return { starts, ends, retries };
  }

  it('is called for each attempt and each retry', async () => {
    const url = site().serve({ status: 503 }, { status: 404, body: 'no' });
    const { starts, ends, retries } = await heard({ method: 'get', url });
    const start = { method: 'GET', url: new URL(url), listedHost: '127.0.0.1' };
    expect(starts).toEqual([1, 2].map((attempt) => ({ attempt, ...start })));
    expect(ends).toEqual([
      { classification: 'status', status: 503, bytes: 2, duration_ms: 0 },
      { classification: 'answered', status: 404, bytes: 2, duration_ms: 0 },
    ]);
    const about = { method: 'GET', host: new URL(url).host };
    expect(retries).toEqual([
      { attempt: 1, classification: 'status', status: 503, ...about, delay_ms: 200 },
    ]);
  });

  it('gets the end of each attempt', async () => {
    await using secure = await startUpstream({}, stranger);
    await using silent = await startUpstream(() => clock.pass(400));
    const urls = {
      refused: 'http://inside.test/',
      connect: `http://127.0.0.1:${await freePort()}/`,
      failed: secure.origin,
      timeout: silent.origin,
    };
    for (const [classification, url] of Object.entries(urls)) {
      const { starts, ends, retries } = await heard({ method: 'POST', url });
      const listedHost = classification === 'refused' ? '*.test' : expect.not.stringMatching(/\*/);
      expect(starts).toMatchObject([{ listedHost }]);
      const duration_ms = classification === 'timeout' ? 400 : 0;
      expect(ends).toEqual([{ classification, bytes: 0, duration_ms }]);
      expect(retries).toEqual([]);
    }
  });
});
