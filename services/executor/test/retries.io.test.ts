import { METHODS, type Method } from '@gatehouse/contracts';
import { shared, startUpstream } from '@gatehouse/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from './support/clock.ts';
import { startExecutor } from './support/executor.ts';
import { record, threeRecords } from './support/outcomes.ts';

const clock = fakeClock();
const executor = shared(() => startExecutor({ clock }));
beforeEach(() => clock.restart());

const SENT_ONCE: readonly Method[] = ['POST', 'PATCH'];
const TRANSIENT = [429, 500, 501, 502, 503, 504, 599];
const SETTLED = [200, 204, 301, 304, 400, 401, 404, 408, 409, 422, 499];

/** Contract section 3: up to three attempts where the method may be sent again. */
const attemptsOf = (method: Method, status: number) =>
  TRANSIENT.includes(status) && !SENT_ONCE.includes(method) ? 3 : 1;

function outcomeOf(status: number, attempts: number): object {
  if (attempts === 3)
    return {
      ...{ error: 'RetriesExhausted', attempts, history: threeRecords('status', status) },
      last_error: { error: 'HttpFailure', status },
    };
  return {
    ...(status < 300 ? { outcome: 'success' } : { error: 'HttpFailure' }),
    status,
    attempts,
  };
}

describe('a status that stays', () => {
  it.each(METHODS)('%s: three attempts, or one', async (method) => {
    for (const status of [...SETTLED, ...TRANSIENT]) {
      clock.restart();
      const attempts = attemptsOf(method, status);
      await using upstream = await startUpstream({ status });
      const outcome = await executor().outcome({ method, url: upstream.origin });
      expect(upstream.requests, `${status}`).toHaveLength(attempts);
      expect(clock.waits, `${status}`).toEqual(attempts === 3 ? [200, 400] : []);
      expect(outcome).toMatchObject(outcomeOf(status, attempts));
    }
  });
});

const RECOVERIES = METHODS.filter((method) => !SENT_ONCE.includes(method)).flatMap((method) => [
  { method, failures: [503], waits: [200] },
  { method, failures: [429, 500], waits: [200, 400] },
]);

describe('an upstream that recovers', () => {
  it.each(RECOVERIES)('$method works after $failures', async ({ method, failures, waits }) => {
    await using upstream = await startUpstream([
      ...failures.map((status) => ({ status })),
      { status: 200 },
    ]);
    expect(await executor().success({ method, url: upstream.origin })).toMatchObject({
      attempts: failures.length + 1,
      history: failures.map((status, index) =>
        record(index + 1, 'status', waits[index] ?? 0, status),
      ),
    });
    expect(clock.waits).toEqual(waits);
    expect(upstream.requests).toHaveLength(failures.length + 1);
  });

  it('sends the same request each time', async () => {
    await using upstream = await startUpstream([{ status: 500 }, { status: 502 }, {}]);
    const headers = { authorization: 'Bearer abcdef', 'x-a': '1' };
    await executor().success({
      method: 'PUT',
      url: `${upstream.origin}/x?y=z`,
      headers,
      body: { a: 1 },
    });
    const [first, ...others] = upstream.requests.map(({ connection: _, ...request }) => request);
    expect(first).toMatchObject({ url: '/x?y=z', body: '{"a":1}', headers });
    expect(others).toEqual([first, first]);
  });

  it('POST and PATCH are not sent again, even when that would have worked', async () => {
    await using upstream = await startUpstream([{ status: 503 }, {}]);
    const outcome = await executor().failure({ method: 'POST', url: upstream.origin, body: {} });
    expect(outcome).toMatchObject({ error: 'HttpFailure', status: 503, attempts: 1 });
    expect(outcome).not.toHaveProperty('last_error');
    expect(upstream.requests).toHaveLength(1);
  });
});

describe('waits in real time', () => {
  it('are no shorter than 200 and 400 ms, and the history says so', async () => {
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
});

describe('duration_ms', () => {
  it('is how long the attempt took, in whole milliseconds', async () => {
    await using upstream = await startUpstream((_request, response) => {
      clock.pass(59.6);
      response.writeHead(500).end();
    });
    const { history } = await executor().failure({ method: 'GET', url: upstream.origin });
    expect(history.map(({ duration_ms }) => duration_ms)).toEqual([60, 60, 60]);
  });
});
