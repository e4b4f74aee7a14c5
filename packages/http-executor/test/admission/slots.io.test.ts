import { freePort, startGatedUpstream, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { Cancelled } from '../../src/index.ts';
import { fakeClock } from '../support/clock.ts';
import { startExecutor } from '../support/executor.ts';

const WAIT_MS = 100;
const soon = <T>(value: () => T) => expect.poll(value, { interval: 5 });
/** Waits for one turn of the event loop, so that all executions are waiting for a slot. */
const settled = () => new Promise((done) => setImmediate(done));

const startBounded = (maxExecutionsPerHost: number, maxExecutions: number, clock = fakeClock()) =>
  startExecutor({ maxExecutionsPerHost, maxExecutions, maxWaitMs: WAIT_MS, clock });
const post = (origin: string, path: string | number = '') => ({
  method: 'POST',
  url: `${origin}/${path}`,
});

describe('slots for executions', () => {
  it.each([
    ['per host', 3, 100, ' for `127\\.0\\.0\\.1:\\d+` \\(maxExecutionsPerHost: 3\\)'],
    ['in total', 100, 3, ' \\(maxExecutions: 3\\)'],
  ])(
    'have a limit %s: a further execution waits, and then is refused',
    async (_name, perHost, all, limit) => {
      await using upstream = await startGatedUpstream();
      const clock = fakeClock();
      await using executor = await startBounded(perHost, all, clock);
      const send = (n: number) => executor.success(post(upstream.origin, n));
      const running = [1, 2, 3].map(send);
      await soon(() => upstream.held.length).toBe(3);
      const refused = executor.refusal(post(upstream.origin, 4));
      await settled();
      clock.pass(WAIT_MS - 1);
      await settled();
      clock.pass(1);
      const { code, message: said } = await refused;
      expect(code).toBe('TooManyRequests');
      expect(said).toMatch(
        new RegExp(`^Nothing was sent, because too many executions are in flight${limit} and `),
      );
      expect(said).toMatch(/no slot became free within 100 ms; send the action again later\.$/);
      expect(upstream.requests).toHaveLength(3);
      upstream.release();
      await Promise.any(running);
      running.push(send(5));
      await soon(() => upstream.held.length).toBe(3);
      upstream.open();
      await Promise.all(running);
    },
  );

  it('are given in order of arrival', async () => {
    await using upstream = await startGatedUpstream();
    await using executor = await startBounded(1, 100);
    const running: Promise<unknown>[] = [];
    for (const n of [1, 2, 3, 4]) {
      running.push(executor.success(post(upstream.origin, n)));
      await settled();
    }
    for (const n of [1, 2, 3, 4]) {
      await soon(() => upstream.held).toEqual([`/${n}`]);
      upstream.release();
    }
    await Promise.all(running);
  });

  it('are waited for no longer than the action allows, and the wait counts', async () => {
    await using upstream = await startGatedUpstream();
    const clock = fakeClock();
    await using executor = await startBounded(1, 100, clock);
    const action = { ...post(upstream.origin), timeout_ms: 60 };
    const running = executor.success(post(upstream.origin));
    await soon(() => upstream.held.length).toBe(1);
    const refused = executor.refusal(action);
    await settled();
    clock.pass(60);
    expect((await refused).message).toMatch(/no slot became free within 60 ms/);

    const late = executor.failure(action);
    await settled();
    clock.pass(40);
    upstream.release();
    await running;
    await soon(() => upstream.held.length).toBe(1);
    clock.pass(20);
    expect(await late).toMatchObject({
      error: 'Timeout',
      message: expect.stringMatching(/within 20 ms/),
    });
    upstream.open();
  });

  it('skip callers that wait for a full host', async () => {
    await using full = await startGatedUpstream();
    await using second = await startGatedUpstream();
    await using third = await startGatedUpstream();
    await using executor = await startBounded(1, 2);
    const send = ({ origin }: { origin: string }) => executor.success(post(origin));
    const running = [send(full), send(second)];
    await soon(() => full.held.length + second.held.length).toBe(2);
    for (const upstream of [full, third]) {
      running.push(send(upstream));
      await settled();
    }
    second.release();
    await soon(() => third.held.length).toBe(1);
    expect(full.requests).toHaveLength(1);
    for (const upstream of [full, second, third]) upstream.open();
    await Promise.all(running);
  });

  it.each([
    ['while it waits', false],
    ['in the moment of its turn', true],
  ])('go to the next caller when another disconnects %s', async (_name, itsTurn) => {
    await using upstream = await startGatedUpstream();
    await using executor = await startBounded(1, 100);
    const first = executor.success(post(upstream.origin, 'first'));
    await soon(() => upstream.held.length).toBe(1);
    const gone = new AbortController();
    const leaving = executor.outcome(post(upstream.origin, 'gone'), { signal: gone.signal });
    const left = expect(leaving).rejects.toBeInstanceOf(Cancelled);
    await settled();
    const last = executor.success(post(upstream.origin, 'last'));
    await settled();
    if (itsTurn) void first.then(() => gone.abort());
    else gone.abort();
    upstream.open();
    await Promise.all([first, left, last]);
    const sent = upstream.requests.map(({ url }) => url).filter((url) => url !== '/gone');
    expect(sent).toEqual(['/first', '/last']);
    if (!itsTurn) expect(upstream.requests).toHaveLength(2);
  });

  it('are released after successes, failures, refusals and cancellations', async () => {
    await using upstream = await startUpstream({ body: { id: 1 } });
    await using silent = await startGatedUpstream();
    await using executor = await startBounded(2, 2);
    const ended = [
      post(upstream.origin),
      { ...post(upstream.origin), response_schema: { type: 'array' } },
      { ...post(upstream.origin), response_schema: { type: 'no-such-type' } },
      { ...post(upstream.origin), headers: { host: 'x' } },
      post(`http://127.0.0.1:${await freePort()}`),
      post('http://elsewhere.test/'),
    ];
    for (let round = 0; round < 5; round++) {
      for (const action of ended) await executor.outcome(action).catch(() => {});
      const caller = new AbortController();
      const leaving = executor.outcome(post(silent.origin), { signal: caller.signal });
      const left = expect(leaving).rejects.toBeInstanceOf(Cancelled);
      await soon(() => silent.held.length).toBe(1);
      caller.abort();
      await left;
      await soon(() => silent.held).toEqual([]);
    }
    const both = [1, 2].map(() => executor.success(post(silent.origin)));
    await soon(() => silent.held.length).toBe(2);
    silent.open();
    await Promise.all(both);
  });
});
