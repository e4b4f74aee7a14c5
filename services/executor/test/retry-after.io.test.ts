import { shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { fakeClock } from './support/clock.ts';
import { startExecutor } from './support/executor.ts';
import { record } from './support/outcomes.ts';

const clock = fakeClock();
const executor = shared(() => startExecutor({ clock }));

/** The wall clock at the first attempt; the second one is a wait later. */
const NOW = new Date('2030-05-06T07:08:00Z');
const inSeconds = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000).toUTCString();

const CASES: [name: string, retryAfter: string, waits: number[]][] = [
  ['one second', '1', [1_000, 1_000]],
  ['the cap', '2', [2_000, 2_000]],
  ['above the cap', '3', [2_000, 2_000]],
  ['far above the cap', '86400', [2_000, 2_000]],
  ['more digits than a number holds', '9'.repeat(400), [2_000, 2_000]],
  ['zero', '0', [200, 400]],
  ['negative', '-1', [200, 400]],
  ['a fraction', '1.5', [200, 400]],
  ['garbage', 'soon', [200, 400]],
  // contract: seconds or a date; a lenient date parser reads a year out of these.
  ['garbage with a year', 'soon 2099', [200, 400]],
  ['a date of another format', '12/31/2099', [200, 400]],
  ['empty', '', [200, 400]],
  ['a number with a unit', '1s', [200, 400]],
  ['a date in one second', inSeconds(1), [1_000, 400]],
  ['a date in two seconds', inSeconds(2), [2_000, 400]],
  ['a date in an hour', inSeconds(3_600), [2_000, 2_000]],
  // RFC 9110, section 5.6.7: recipients accept the obsolete forms of a date as well.
  ['a date of RFC 850', 'Monday, 06-May-30 07:08:01 GMT', [1_000, 400]],
  ['a date of asctime', 'Mon May  6 07:08:01 2030', [1_000, 400]],
  ['a past date of asctime', 'Mon May  6 07:07:59 2030', [200, 400]],
  ['a date of asctime with a zone', 'Mon May  6 08:08:00 2030 GMT', [200, 400]],
  ['a date of now', inSeconds(0), [200, 400]],
  ['a past date', inSeconds(-3_600), [200, 400]],
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

  it.each([429, 500, 503])('counts on %i', async (status) => {
    await using upstream = await startUpstream([{ status, headers: { 'retry-after': '1' } }, {}]);
    clock.restart(NOW);
    const { history } = await executor().success({ method: 'GET', url: upstream.origin });
    expect(history).toEqual([record(1, 'status', 1_000, status)]);
    expect(clock.waits).toEqual([1_000]);
  });

  it.each([
    ['longer than the backoff', '2030-05-06T07:07:59.750Z', [250, 400]],
    ['shorter than the backoff', '2030-05-06T07:07:59.900Z', [200, 400]],
  ])('a date a moment away, %s', async (_name, start, waits) => {
    await using upstream = await startUpstream({
      status: 503,
      headers: { 'retry-after': NOW.toUTCString() },
    });
    clock.restart(new Date(start));
    await executor().failure({ method: 'GET', url: upstream.origin });
    expect(clock.waits).toEqual(waits);
  });

  it('does not make POST be sent again', async () => {
    await using upstream = await startUpstream({ status: 429, headers: { 'retry-after': '1' } });
    clock.restart(NOW);
    expect(await executor().failure({ method: 'POST', url: upstream.origin })).toMatchObject({
      error: 'HttpFailure',
      headers: { 'retry-after': '1' },
    });
    expect(clock.waits).toEqual([]);
    expect(upstream.requests).toHaveLength(1);
  });

  it('does not make a 404 be tried again', async () => {
    await using upstream = await startUpstream({ status: 404, headers: { 'retry-after': '1' } });
    clock.restart(NOW);
    await executor().failure({ method: 'GET', url: upstream.origin });
    expect(upstream.requests).toHaveLength(1);
  });

  it('is waited in real time', async () => {
    const times: number[] = [];
    await using upstream = await startUpstream((_request, response) => {
      times.push(performance.now());
      response.writeHead(times.length === 1 ? 503 : 200, { 'retry-after': '1' }).end();
    });
    await using own = await startExecutor();
    await own.success({ method: 'GET', url: upstream.origin });
    const [first = 0, second = 0] = times;
    expect(second - first).toBeGreaterThanOrEqual(999);
  });
});
