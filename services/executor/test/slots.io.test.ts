import { freePort, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { type LocalExecutor, readProblem, startExecutor } from './support/executor.ts';
import { startGatedUpstream } from './support/gated-upstream.ts';

const LONG_WAIT_MS = '60000';

const soon = <T>(value: () => T) => expect.poll(value, { interval: 5 });

function bounded(perHost: number, total: number, maxWaitMs: string): Promise<LocalExecutor> {
  return startExecutor({
    env: {
      HTTP_EXECUTOR_MAX_EXECUTIONS: String(total),
      HTTP_EXECUTOR_MAX_EXECUTIONS_PER_HOST: String(perHost),
      HTTP_EXECUTOR_MAX_WAIT_MS: maxWaitMs,
    },
  });
}

const LIMITS = [
  {
    limit: 'per host',
    perHost: 3,
    total: 100,
    name: /3 executions for `127\.0\.0\.1:\d+` .*MAX_EXECUTIONS_PER_HOST/,
  },
  {
    limit: 'in all',
    perHost: 100,
    total: 3,
    name: /3 executions \(HTTP_EXECUTOR_MAX_EXECUTIONS\)/,
  },
];

describe('slots for executions', () => {
  it.each(LIMITS)(
    '$limit: as many as the limit are sent, one more waits and is 429',
    async (limits) => {
      await using upstream = await startGatedUpstream();
      await using executor = await bounded(limits.perHost, limits.total, '100');
      const send = (n: number) =>
        executor.execute({ method: 'POST', url: `${upstream.origin}/${n}` });
      const running = [1, 2, 3].map(send);
      await soon(() => upstream.held.length).toBe(3);
      const refused = await send(4);
      expect(refused.status).toBe(429);
      expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      const { code, detail } = await readProblem(refused);
      expect({ code, detail }).toEqual({
        code: 'TooManyRequests',
        detail: expect.stringMatching(limits.name),
      });
      expect(upstream.requests).toHaveLength(3);
      upstream.release();
      expect((await running[0])?.status).toBe(200);
      const next = send(5);
      await soon(() => upstream.held.length).toBe(3);
      upstream.open();
      for (const response of [...running, next]) expect((await response).status).toBe(200);
    },
  );

  it('who waits is served in the order of arrival, each by the slot that was freed', async () => {
    await using upstream = await startGatedUpstream();
    await using executor = await bounded(1, 100, LONG_WAIT_MS);
    const running: Promise<unknown>[] = [];
    for (const n of [1, 2, 3, 4]) {
      running.push(executor.success({ method: 'POST', url: `${upstream.origin}/${n}` }));
      if (n === 1) await soon(() => upstream.held).toEqual(['/1']);
      await executor.arrived(n);
    }
    for (const n of [1, 2, 3, 4]) {
      await soon(() => upstream.held).toEqual([`/${n}`]);
      upstream.release();
    }
    await Promise.all(running);
  });

  it('a full host holds up no other one, though its callers wait first', async () => {
    await using full = await startGatedUpstream();
    await using other = await startUpstream();
    await using executor = await bounded(1, 2, LONG_WAIT_MS);
    const running = [1, 2, 3].map((n) =>
      executor.success({ method: 'POST', url: `${full.origin}/${n}` }),
    );
    await soon(() => full.held.length).toBe(1);
    for (let n = 0; n < 3; n++) await executor.success({ method: 'GET', url: other.origin });
    full.open();
    await Promise.all(running);
  });

  it('when all are taken, a freed slot passes over who waits for a full host', async () => {
    await using full = await startGatedUpstream();
    await using second = await startGatedUpstream();
    await using third = await startGatedUpstream();
    await using executor = await bounded(1, 2, LONG_WAIT_MS);
    const send = ({ origin }: { origin: string }) =>
      executor.success({ method: 'POST', url: origin });
    const running = [send(full), send(second)];
    await soon(() => full.held.length + second.held.length).toBe(2);
    running.push(send(full));
    await executor.arrived(3);
    running.push(send(third));
    await executor.arrived(4);
    second.release();
    await soon(() => third.held.length).toBe(1);
    expect(full.requests).toHaveLength(1);
    for (const upstream of [full, second, third]) upstream.open();
    await Promise.all(running);
  });

  it('a caller that goes away while it waits frees its place, and nothing is sent', async () => {
    await using upstream = await startGatedUpstream();
    await using executor = await bounded(1, 100, LONG_WAIT_MS);
    const first = executor.success({ method: 'POST', url: `${upstream.origin}/first` });
    await soon(() => upstream.held.length).toBe(1);
    const gone = new AbortController();
    const leaving = executor
      .execute({ method: 'POST', url: `${upstream.origin}/gone` }, { signal: gone.signal })
      .catch(() => 'gone');
    await executor.arrived(2);
    const last = executor.success({ method: 'POST', url: `${upstream.origin}/last` });
    await executor.arrived(3);
    gone.abort();
    expect(await leaving).toBe('gone');
    const metrics = async () => (await fetch(`${executor.url}/metrics`)).text();
    await expect.poll(metrics).toContain('executor_executions_total{outcome="cancelled"} 1');
    upstream.open();
    await Promise.all([first, last]);
    expect(upstream.requests.map(({ url }) => url)).toEqual(['/first', '/last']);
  });
});

/** More than there are slots. */
const ROUNDS = 5;

describe('a slot is given back', () => {
  it('after successes, failures, refusals and cancellations alike', async () => {
    await using upstream = await startUpstream({ body: { id: 1 } });
    await using silent = await startGatedUpstream();
    await using executor = await bounded(2, 2, LONG_WAIT_MS);
    const refused = `http://127.0.0.1:${await freePort()}`;
    const ended = [
      { method: 'POST', url: upstream.origin },
      { method: 'POST', url: upstream.origin, response_schema: { type: 'array' } },
      { method: 'POST', url: upstream.origin, response_schema: { type: 'no-such-type' } },
      { method: 'POST', url: refused },
      { method: 'POST', url: 'http://elsewhere.test/' },
      { method: 'POST', url: upstream.origin, headers: { host: 'x' } },
    ];
    for (let round = 0; round < ROUNDS; round++) {
      await Promise.all(
        ended.map(async (action) => (await executor.execute(action)).arrayBuffer()),
      );
      const caller = new AbortController();
      const leaving = executor
        .execute({ method: 'POST', url: silent.origin }, { signal: caller.signal })
        .catch(() => 'gone');
      await soon(() => silent.held.length).toBe(1);
      caller.abort();
      expect(await leaving).toBe('gone');
      await soon(() => silent.held).toEqual([]);
    }
    const both = [1, 2].map(() => executor.success({ method: 'POST', url: silent.origin }));
    await soon(() => silent.held.length).toBe(2);
    silent.open();
    await Promise.all(both);
  });
});
