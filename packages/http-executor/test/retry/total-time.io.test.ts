import { startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../support/clock.ts';
import { LOCAL_NAMES, type Setup, startExecutor } from '../support/executor.ts';
import { record, textWith } from '../support/outcomes.ts';
import { resolver } from '../support/resolver.ts';

describe('the total time', () => {
  it.each([
    [200, 1],
    [201, 2],
    [600, 2],
    [601, 3],
  ])('of %i ms has room for %i attempts', async (ms, attempts) => {
    for (const [setting, timeout_ms] of [
      [ms, undefined],
      [60_000, ms],
      [ms, 60_000],
    ] as const)
      await expectAttempts(attempts, { totalTimeoutMs: setting }, { timeout_ms });
  });

  async function expectAttempts(attempts: number, setup: Setup, members: object): Promise<void> {
    await using upstream = await startUpstream({ status: 503 });
    const clock = fakeClock();
    await using executor = await startExecutor({ ...setup, clock });
    const failure = await executor.failure({ method: 'GET', url: upstream.origin, ...members });
    expect(failure).toMatchObject({
      error: attempts === 3 ? 'RetriesExhausted' : 'Timeout',
      attempts,
    });
    expect(failure.history).toHaveLength(attempts);
    expect(failure.history.at(-1)).toEqual(record(attempts, 'status', 0, 503));
    expect(failure.last_error).toMatchObject({ error: 'HttpFailure', status: 503 });
    expect(upstream.requests).toHaveLength(attempts);
    expect(clock.waits).toEqual([200, 400].slice(0, attempts - 1));
  }

  it('shortens the last attempt', async () => {
    const clock = fakeClock();
    await using upstream = await startUpstream(() => {});
    await using executor = await startExecutor({
      attemptTimeoutMs: 2_000,
      totalTimeoutMs: 3_000,
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

  it('may end before a request is sent, and the message says so only of the last attempt', async () => {
    const clock = fakeClock();
    await using upstream = await startUpstream({ status: 503, headers: { connection: 'close' } });
    await using executor = await startExecutor({
      totalTimeoutMs: 600,
      ...LOCAL_NAMES,
      clock,
      resolve: resolver({ 'api.test': [['127.0.0.1'], 'never'] }, () => clock.pass(400)).resolve,
    });
    const failure = await executor.failure({
      method: 'DELETE',
      url: `http://api.test:${upstream.port}/`,
    });
    expect(upstream.requests).toHaveLength(1);
    expect(failure).toMatchObject({ error: 'Timeout', attempts: 2 });
    expect(failure.message).toMatch(
      /^There was no time left for another attempt\. The last attempt failed: .*Nothing was sent\.$/,
    );
    expect(failure.last_error).toMatchObject({ error: 'HttpFailure', status: 503 });
  });

  it('of 200 ms is too short for a wait after a broken connection as well', async () => {
    await using upstream = await startUpstream((_request, response) => response.destroy());
    await using executor = await startExecutor({ totalTimeoutMs: 200, clock: fakeClock() });
    expect(await executor.failure({ method: 'GET', url: upstream.origin })).toMatchObject({
      ...{ error: 'Timeout', attempts: 1, last_error: { error: 'ConnectFailure' } },
    });
  });

  /** Time that is left for the last attempt. An attempt may take 1,000 ms. */
  const LEFT = { hangs: 500, 'hangs for both limits': 1_000 };
  type Step = 503 | 'broken' | 'late' | keyof typeof LEFT;
  it.each<[steps: Step[], error: string, last: object | undefined]>([
    [['hangs'], 'Timeout', undefined],
    [['late', 'hangs'], 'Timeout', undefined],
    [[503, 'hangs'], 'Timeout', { error: 'HttpFailure', status: 503 }],
    [[503, 'broken', 'hangs'], 'Timeout', { error: 'ConnectFailure' }],
    [[503, 'late', 'hangs'], 'Timeout', { error: 'HttpFailure', status: 503 }],
    [['late', 503, 'hangs'], 'Timeout', { error: 'HttpFailure', status: 503 }],
    [['late', 'late', 'hangs'], 'Timeout', undefined],
    [['late', 'late', 'hangs for both limits'], 'Timeout', undefined],
    [['late', 'late', 503], 'RetriesExhausted', { error: 'HttpFailure', status: 503 }],
    [['late', 'late', 'late'], 'RetriesExhausted', { error: 'Timeout' }],
    [[503, 'late', 'late'], 'RetriesExhausted', { error: 'Timeout' }],
    [['late', 503, 'broken'], 'RetriesExhausted', { error: 'ConnectFailure' }],
  ])('%j: `last_error` is the latest failure of another kind', async (steps, error, last) => {
    const clock = fakeClock();
    const before = steps.slice(0, -1);
    const waits = [0, 200, 600][before.length] ?? 0;
    const hangs = LEFT[steps.at(-1) as keyof typeof LEFT];
    const left = hangs ?? 1_001;
    const total = before.filter((step) => step === 'late').length * 1_000 + waits + left;
    await using own = await startExecutor({
      attemptTimeoutMs: 1_000,
      totalTimeoutMs: total,
      clock,
    });
    await using upstream = await startUpstream((_request, response) => {
      const step = steps[upstream.requests.length - 1];
      if (step === 503) response.writeHead(503, { 'retry-after': '0' }).end();
      else if (step === 'broken') response.destroy();
      else clock.pass(step === 'late' ? 1_000 : left - 0.5);
    });
    const failure = await own.failure({ method: 'GET', url: upstream.origin });
    expect(failure).toMatchObject({ error, attempts: steps.length });
    expect(failure.history).toHaveLength(steps.length);
    if (last === undefined) expect(failure).not.toHaveProperty('last_error');
    else expect(failure.last_error).toMatchObject(last);
    if (hangs === undefined) return;
    expect(failure.message).toMatch(
      /did not send its whole response within \d+ ms; it may have acted/,
    );
    expect(/^There was no time left/.test(failure.message)).toBe(steps.length > 1);
  });

  it('also limits a single attempt, by the system clock', async () => {
    await using upstream = await startUpstream(() => {});
    await using executor = await startExecutor({ totalTimeoutMs: 100 });
    const failure = await executor.failure({ method: 'POST', url: upstream.origin });
    expect(failure).toMatchObject({ error: 'Timeout', message: textWith('100 ms'), attempts: 1 });
  });
});
