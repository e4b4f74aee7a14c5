import { type Reply, shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../support/clock.ts';
import { startExecutor } from '../support/executor.ts';

const clock = fakeClock();
const executor = shared(() => startExecutor({ clock }));

/** Wall clock at the first attempt. */
const NOW = new Date('2030-05-06T07:08:00Z');
const inSeconds = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000).toUTCString();

const CASES: [name: string, retryAfter: string, waits: number[]][] = [
  ['one second', '1', [1_000, 1_000]],
  ['the cap', '2', [2_000, 2_000]],
  ['zero', '0', [200, 400]],
  ['negative', '-1', [200, 400]],
  ['a fraction', '1.5', [200, 400]],
  ['garbage', 'soon', [200, 400]],
  ['what JavaScript writes for no date', 'Invalid Date', [200, 400]],
  // A lenient date parser would find a year in these.
  ['garbage with a year', 'soon 2099', [200, 400]],
  ['a date of another format', '12/31/2099', [200, 400]],
  ['empty', '', [200, 400]],
  ['a number with a unit', '1s', [200, 400]],
  ['a date in one second', inSeconds(1), [1_000, 400]],
  ['seconds and a space', '1 ', [1_000, 1_000]],
  ['a date in two seconds', inSeconds(2), [2_000, 400]],
  ['a date of RFC 850 in one second', 'Monday, 06-May-30 07:08:01 GMT', [1_000, 400]],
  ['a date of C in one second', 'Mon May  6 07:08:01 2030', [1_000, 400]],
  ['a date of now', inSeconds(0), [200, 400]],
  ['a past date', inSeconds(-3_600), [200, 400]],
  ['a date of ISO 8601', '2030-05-06T07:08:01Z', [200, 400]],
  ['a date without a zone', 'Mon, 06 May 2030 07:08:01', [200, 400]],
  ['a day that does not exist', 'Mon, 99 May 2030 07:08:01 GMT', [200, 400]],
  ['a date behind something', 'x Mon, 06 May 2030 07:08:01 GMT', [200, 400]],
  ['a date before something', 'Mon, 06 May 2030 07:08:01 GMT x', [200, 400]],
];

describe('Retry-After', () => {
  it.each(CASES)('%s', async (_name, retryAfter, waits) => {
    await using upstream = await startUpstream({
      status: 429,
      headers: { 'retry-after': retryAfter },
    });
    clock.restart(NOW);
    const { history } = await executor().failure({ method: 'GET', url: upstream.origin });
    expect(clock.waits).toEqual(waits);
    expect(history.map(({ delay_ms }) => delay_ms)).toEqual([...waits, 0]);
    expect(upstream.requests).toHaveLength(3);
  });

  it.each([
    ['longer than the backoff', '2030-05-06T07:07:59.750Z', [250, 400]],
    ['shorter than the backoff', '2030-05-06T07:07:59.900Z', [200, 400]],
  ])('is obeyed as a date in the near future, %s', async (_name, start, waits) => {
    await using upstream = await startUpstream({
      status: 503,
      headers: { 'retry-after': NOW.toUTCString() },
    });
    clock.restart(new Date(start));
    await executor().failure({ method: 'GET', url: upstream.origin });
    expect(clock.waits).toEqual(waits);
  });

  const asking = (status: number, seconds?: string): Reply => ({
    status,
    headers: seconds === undefined ? {} : { 'retry-after': seconds },
  });
  it.each<[name: string, answers: Reply[], outcome?: number]>([
    ['a 404', [asking(404, '86400')], 86_400_000],
    ['a redirect without a location', [asking(301, '5')], 5_000],
    ['a success that is not JSON', [{ ...asking(200, '5'), body: 'no JSON' }], 5_000],
    ['zero', [asking(404, '0')], 0],
    ['more than a number holds', [asking(404, '9'.repeat(400))], Number.MAX_SAFE_INTEGER],
    ['a date', [asking(404, inSeconds(3_600))], 3_600_000],
    ['a past date', [asking(404, inSeconds(-1))], 0],
    ['nothing', [asking(404)]],
    ['garbage', [asking(404, 'soon')]],
    ['a date of RFC 850', [asking(404, 'Monday, 06-May-30 08:08:00 GMT')], 3_600_000],
    ['a date of C', [asking(404, 'Mon May  6 08:08:00 2030')], 3_600_000],
    ['all', [asking(503, '1'), asking(503, '2'), asking(429, '86400')], 86_400_000],
    ['nothing in the last answer', [asking(503, '1'), asking(503, '1'), asking(503)]],
    ['success', [asking(202, '5')], 5_000],
    ['success after all', [asking(503, '1'), asking(200)]],
  ])('is shown without a cap, whatever the status of the last answer: %s', async (...row) => {
    const [, answers, shown] = row;
    await using upstream = await startUpstream(answers);
    clock.restart(NOW);
    const outcome = await executor().outcome({ method: 'GET', url: upstream.origin });
    expect(outcome.retry_after_ms).toBe(shown);
  });

  it.each([
    [1, 'seconds', '2', '3'],
    [2, 'seconds', '2', '3'],
    [1, 'a date', inSeconds(2), inSeconds(3)],
    [1, 'more digits than a number holds', '2', '9'.repeat(400)],
  ])('beyond the cap ends the execution after attempt %i: %s', async (count, _name, most, more) => {
    const before = Array.from({ length: count - 1 }, () => asking(503, '0'));
    for (const value of [most, more]) {
      await using upstream = await startUpstream([...before, asking(429, value), asking(200)]);
      clock.restart(NOW);
      const outcome = await executor().outcome({ method: 'GET', url: upstream.origin });
      if (value === most)
        expect(outcome).toMatchObject({ outcome: 'success', attempts: count + 1 });
      if (value === most) continue;
      const error = count === 1 ? 'HttpFailure' : 'RetriesExhausted';
      const message = expect.stringMatching(/asked to wait \d+ s, which is longer than the 2 s/);
      const asked = { error, message, attempts: count, retry_after_ms: expect.any(Number) };
      expect(outcome).toMatchObject(asked);
      expect(upstream.requests).toHaveLength(count);
    }
  });

  it('comes from the last response if later attempts have none', async () => {
    let requests = 0;
    await using upstream = await startUpstream((_request, response) => {
      requests += 1;
      if (requests > 1) response.destroy();
      else response.writeHead(503, { 'retry-after': '2' }).end();
    });
    clock.restart(NOW);
    const outcome = await executor().failure({ method: 'GET', url: upstream.origin });
    expect(outcome).toMatchObject({ error: 'RetriesExhausted', retry_after_ms: 2_000 });
  });
});
