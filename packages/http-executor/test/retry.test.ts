import type { Method } from '@gatehouse/contracts';
import { describe, expect, it } from 'vitest';
import { type AttemptDeps, attempt } from '../src/attempt/attempt.ts';
import { describeEnd } from '../src/attempt/observer.ts';
import { type AttemptResult, transientFailure } from '../src/attempt/result.ts';
import {
  type AttemptEnd,
  type AttemptStart,
  Cancelled,
  type ExecutionContext,
  type RetryEvent,
} from '../src/index.ts';
import { Attempts, type AttemptsDeps } from '../src/retry/attempts.ts';
import {
  decideRetry,
  RETRY_POLICY,
  type RetryDecision,
  retryAfterMs,
} from '../src/retry/retry-decision.ts';
import { TransportError } from '../src/transport.ts';
import { answer, ManualClock, NEVER, requestTo, sandbox, scripted } from './support/stages.ts';

const response = (status: number, bytes = 3): AttemptResult => ({
  response: { status, headers: {}, body: { bytes: Buffer.alloc(bytes) } },
});
const TIMEOUT: AttemptResult = {
  fault: { error: 'Timeout', classification: 'timeout', message: '' },
};
const REFUSED: AttemptResult = {
  fault: { error: 'ConnectFailure', addressRefused: true, message: '' },
};
const CERTIFICATE: AttemptResult = { fault: { error: 'ConnectFailure', message: '' } };

describe('transientFailure', () => {
  it('takes 429 and 500 to 599 for transient, and their neighbours not', () => {
    for (const status of [429, 500, 503, 599])
      expect(transientFailure(response(status))).toEqual({ classification: 'status', status });
    for (const status of [200, 301, 404, 428, 430, 499, 600])
      expect(transientFailure(response(status)), String(status)).toBeUndefined();
  });

  it('keeps the classification of a fault', () => {
    expect(transientFailure(TIMEOUT)).toEqual({ classification: 'timeout' });
    expect(transientFailure(REFUSED)).toBeUndefined();
  });
});

describe('describeEnd', () => {
  it.each<[name: string, result: AttemptResult | undefined, end: Partial<AttemptEnd>]>([
    ['cancelled', undefined, { classification: 'cancelled', bytes: 0 }],
    ['a transient status', response(503), { classification: 'status', status: 503, bytes: 3 }],
    ['a timeout', TIMEOUT, { classification: 'timeout', bytes: 0 }],
    ['an answer', response(404, 5), { classification: 'answered', status: 404, bytes: 5 }],
    ['an address', REFUSED, { classification: 'refused', bytes: 0 }],
    ['a certificate', CERTIFICATE, { classification: 'failed', bytes: 0 }],
  ])('%s', (_name, result, end) => {
    expect(describeEnd(result, 7)).toEqual({ ...end, duration_ms: 7 });
  });
});

const FAILED = {
  failure: { classification: 'timeout' } as const,
  method: 'GET' as Method,
  attempt: 1,
  retryAfterMs: 0,
  remainingMs: 60_000,
  draining: false,
};
const decide = (failed: Partial<typeof FAILED>) =>
  decideRetry(RETRY_POLICY, { ...FAILED, ...failed });

describe('decideRetry', () => {
  it.each([
    ['the first wait', {}, 200],
    ['the second wait', { attempt: 2 }, 400],
    ['a shorter Retry-After', { retryAfterMs: 199 }, 200],
    ['a longer Retry-After', { retryAfterMs: 201 }, 201],
    ['a Retry-After at the cap', { retryAfterMs: 2_000 }, 2_000],
    ['a Retry-After past the cap', { retryAfterMs: 2_001 }, 2_000],
    ['a wait that ends just in time', { remainingMs: 201 }, 200],
  ])('%s', (_name, failed, delayMs) => {
    expect(decide(failed)).toEqual({ retry: true, delayMs });
  });

  it('doubles the wait up to the cap', () => {
    const policy = { ...RETRY_POLICY, maxAttempts: 10 };
    const waits = [1, 2, 3, 4, 5, 6].map((attempt) => decideRetry(policy, { ...FAILED, attempt }));
    expect(waits.map((each) => each.retry && each.delayMs)).toEqual([
      200, 400, 800, 1_600, 2_000, 2_000,
    ]);
  });

  it.each([
    ['success', { failure: undefined }, 'settled'],
    ['POST', { method: 'POST' }, 'settled'],
    [
      'PATCH, though all else would stop it',
      { method: 'PATCH', attempt: 3, draining: true },
      'settled',
    ],
    ['the last attempt', { attempt: 3 }, 'exhausted'],
    ['the last attempt while draining', { attempt: 3, draining: true }, 'exhausted'],
    ['the last attempt just in time', { attempt: 3, remainingMs: 1 }, 'exhausted'],
    ['the last attempt without time', { attempt: 3, remainingMs: 0 }, 'out_of_time'],
    ['draining', { draining: true }, 'draining'],
    ['draining in time', { draining: true, remainingMs: 1 }, 'draining'],
    ['draining without time', { draining: true, remainingMs: 0 }, 'out_of_time'],
    ['a wait that ends with the time', { remainingMs: 200 }, 'out_of_time'],
    ['a Retry-After beyond the time', { retryAfterMs: 500, remainingMs: 500 }, 'out_of_time'],
    ['no time', { remainingMs: -1 }, 'out_of_time'],
  ])('stops for %s', (_name, failed, reason) => {
    expect(decide(failed as Partial<typeof FAILED>)).toEqual({ retry: false, reason });
  });

  it('retries the idempotent methods alone', () => {
    const methods: Method[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
    expect(methods.filter((method) => decide({ method }).retry)).toEqual([
      'GET',
      'HEAD',
      'PUT',
      'DELETE',
      'OPTIONS',
    ]);
  });
});

describe('retryAfterMs', () => {
  const now = new Date('1994-11-06T08:49:07Z');
  it.each<[value: string | string[] | undefined, ms: number | undefined]>([
    ['0', 0],
    ['2', 2_000],
    ['120', 120_000],
    ['9007199254740', 9_007_199_254_740_000],
    ['9007199254741', Number.MAX_SAFE_INTEGER],
    ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 30_000],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 30_000],
    ['Sun Nov  6 08:49:37 1994', 30_000],
    ['Sun Nov 06 08:49:37 1994', 30_000],
    ['Sun, 06 Nov 1994 08:49:07 GMT', 0],
    ['Sun, 06 Nov 1994 08:48:37 GMT', 0],
    ['Sun, 99 Nov 1994 08:49:37 GMT', undefined],
    ['1.5', undefined],
    ['-1', undefined],
    [' 2', undefined],
    ['2s', undefined],
    ['', undefined],
    ['1994-11-06T08:49:37Z', undefined],
    ['Sun, 06 Nov 1994 08:49:37', undefined],
    ['x Sun, 06 Nov 1994 08:49:37 GMT', undefined],
    ['Sun, 06 Nov 1994 08:49:37 GMT x', undefined],
    ['Sun Nov  6 08:49:37 1994 x', undefined],
    ['x Sun Nov  6 08:49:37 1994', undefined],
    [['1', '2'], undefined],
    [['2'], undefined],
    [undefined, undefined],
  ])('%j asks for %s', (value, ms) => {
    expect(retryAfterMs(value === undefined ? {} : { 'retry-after': value }, now)).toBe(ms);
  });
});

const BROKEN = () => new TransportError('connection', 'It broke off.');
type Script = ReturnType<typeof answer>;
const breaks: Script = (handler) => handler.onError(BROKEN());

/** The loop of `execute`. */
async function runAttempts(
  request: ReturnType<typeof requestTo>,
  deps: AttemptDeps & AttemptsDeps,
  context: ExecutionContext,
) {
  const attempts = new Attempts(request, deps);
  let result: AttemptResult;
  let decision: RetryDecision;
  do {
    result = await attempt(request, deps, {
      ...attempts.begin(),
      ...context,
      readEvents: false,
    });
    decision = decideRetry(RETRY_POLICY, attempts.end(result));
  } while (decision.retry && (await attempts.wait(decision.delayMs, context)));
  return attempts.report(result, decision.retry ? 'draining' : decision.reason);
}

interface Setup {
  readonly method?: Method;
  readonly clock?: ManualClock;
  readonly draining?: AbortSignal;
  readonly context?: Partial<ExecutionContext>;
  readonly totalTimeoutMs?: number;
  readonly headers?: Map<string, string>;
}

async function run(scripts: Script[], setup: Setup = {}) {
  const clock = setup.clock ?? new ManualClock();
  const upstream = scripted(...scripts);
  const events: RetryEvent[] = [];
  const starts: AttemptStart[] = [];
  const ends: AttemptEnd[] = [];
  const deps = {
    transport: upstream.transport,
    clock,
    sandbox,
    maxResponseBytes: 100,
    attemptTimeoutMs: 1_000,
    totalTimeoutMs: setup.totalTimeoutMs ?? 10_000,
    draining: setup.draining ?? NEVER,
  };
  const context: ExecutionContext = {
    signal: NEVER,
    onRetry: (event) => events.push(event),
    observe: (start) => {
      starts.push(start);
      return { ended: (end) => ends.push(end) };
    },
    ...setup.context,
  };
  const method = setup.method ?? 'GET';
  const request = requestTo('http://a.test:81/p', { method, headers: setup.headers ?? new Map() });
  const report = await runAttempts(request, deps, context);
  return { report, events, starts, ends, clock, requests: upstream.requests };
}

describe('the attempts of an execution', () => {
  it('ends with the first settled result', async () => {
    const { report, events, requests, ends, starts } = await run([answer(404, {}, 'no')]);
    expect(report).toMatchObject({ attempts: 1, history: [], reason: 'settled' });
    expect(report.result).toMatchObject({ response: { status: 404 } });
    expect([events, requests.length]).toEqual([[], 1]);
    expect(starts).toEqual([{ attempt: 1, method: 'GET', url: new URL('http://a.test:81/p') }]);
    expect(ends).toEqual([{ classification: 'answered', status: 404, bytes: 2, duration_ms: 0 }]);
  });

  it('tries again after transient failures, and records them', async () => {
    const { report, events, clock, ends } = await run([breaks, answer(503), answer(200)]);
    expect(report).toMatchObject({ attempts: 3, reason: 'settled' });
    expect(report.history).toEqual([
      { attempt: 1, classification: 'connect', delay_ms: 200, duration_ms: 0 },
      { attempt: 2, classification: 'status', status: 503, delay_ms: 400, duration_ms: 0 },
    ]);
    const about = { host: 'a.test:81', method: 'GET' };
    expect(events).toEqual([
      { attempt: 1, classification: 'connect', ...about, delay_ms: 200 },
      { attempt: 2, classification: 'status', status: 503, ...about, delay_ms: 400 },
    ]);
    expect(clock.waits).toEqual([200, 400]);
    expect(ends.map(({ classification }) => classification)).toEqual([
      'connect',
      'status',
      'answered',
    ]);
  });

  it('waits as the answer asks', async () => {
    const { clock } = await run([answer(503, { 'retry-after': '1' }), answer(200)]);
    expect(clock.waits).toEqual([1_000]);
  });

  it('uses up its attempts', async () => {
    const { report } = await run([answer(500)]);
    expect(report).toMatchObject({ attempts: 3, reason: 'exhausted' });
    expect(report.history.map(({ delay_ms }) => delay_ms)).toEqual([200, 400, 0]);
  });

  it('sends POST once', async () => {
    const { report, requests } = await run([answer(503)], { method: 'POST' });
    expect(report).toMatchObject({ attempts: 1, reason: 'settled' });
    expect(report.history).toEqual([
      { attempt: 1, classification: 'status', status: 503, delay_ms: 0, duration_ms: 0 },
    ]);
    expect(requests).toHaveLength(1);
  });

  it('ends where a wait would outlast the total time', async () => {
    const { report } = await run([answer(503)], { totalTimeoutMs: 600 });
    expect(report).toMatchObject({ attempts: 2, reason: 'out_of_time' });
  });

  it('counts the time that the attempt itself took', async () => {
    for (const [totalTimeoutMs, attempts] of [
      [1_200, 1],
      [1_201, 2],
    ] as const) {
      const clock = new ManualClock();
      const slow: Script = () => clock.advance(1_000);
      const { report } = await run([slow], { clock, totalTimeoutMs });
      expect(report).toMatchObject({ attempts, reason: 'out_of_time' });
    }
  });

  it('gives the last attempt no more than what is left of the total time', async () => {
    const clock = new ManualClock();
    const slow: Script = () => clock.advance(1_000);
    const { report } = await run([slow], { clock, totalTimeoutMs: 1_500 });
    expect(report).toMatchObject({ attempts: 2, reason: 'out_of_time' });
    expect(report.history.map(({ duration_ms }) => duration_ms)).toEqual([1_000, 1_000]);
    expect(report.result).toMatchObject({
      fault: { message: expect.stringContaining('within 300 ms') },
    });
  });

  it('makes no further attempt while draining', async () => {
    const { report, requests } = await run([answer(503)], { draining: AbortSignal.abort() });
    expect(report).toMatchObject({ attempts: 1, reason: 'draining' });
    expect(requests).toHaveLength(1);
  });

  it('ends a wait when draining begins, which then counts as none', async () => {
    const draining = new AbortController();
    const clock = new ManualClock();
    clock.wait = async (_ms, signal) => {
      draining.abort();
      signal.throwIfAborted();
    };
    const { report, events } = await run([answer(503)], { clock, draining: draining.signal });
    expect(report).toMatchObject({ attempts: 1, reason: 'draining' });
    expect(report.history).toMatchObject([{ delay_ms: 0 }]);
    expect(events).toMatchObject([{ delay_ms: 200 }]);
  });

  it('is cancelled when the caller leaves during a wait, which ends it', async () => {
    const caller = new AbortController();
    const attempts: number[] = [];
    const clock = new ManualClock();
    clock.wait = async (_ms, signal) => {
      caller.abort();
      signal.throwIfAborted();
    };
    const observe = ({ attempt }: AttemptStart) => {
      attempts.push(attempt);
      return { ended: () => {} };
    };
    const context = { signal: caller.signal, observe };
    await expect(run([answer(503)], { clock, context })).rejects.toBeInstanceOf(Cancelled);
    expect(attempts).toEqual([1]);
  });

  it('is cancelled when the caller leaves during an attempt, and its watch hears of it', async () => {
    const caller = new AbortController();
    const ends: AttemptEnd[] = [];
    const observe = () => ({ ended: (end: AttemptEnd) => void ends.push(end) });
    const leaves: Script = () => caller.abort();
    await expect(
      run([leaves], { context: { signal: caller.signal, observe } }),
    ).rejects.toBeInstanceOf(Cancelled);
    expect(ends).toEqual([{ classification: 'cancelled', bytes: 0, duration_ms: 0 }]);
  });

  it('works without anybody who watches', async () => {
    const upstream = scripted(answer(503), answer(200));
    const deps = {
      transport: upstream.transport,
      clock: new ManualClock(),
      sandbox,
      maxResponseBytes: 100,
      attemptTimeoutMs: 1,
      totalTimeoutMs: 10_000,
      draining: NEVER,
    };
    await expect(
      runAttempts(requestTo('http://a.test/'), deps, { signal: NEVER }),
    ).resolves.toMatchObject({ attempts: 2 });
  });

  describe('the trace context', () => {
    const traceHeaders = new Map([
      ['traceparent', 'theirs'],
      ['x-a', 'theirs'],
    ]);
    const sent = async (
      context: Partial<ExecutionContext>,
      headers = new Map<string, string>(),
    ) => {
      const { requests } = await run([answer(200)], {
        context: { observe: undefined as never, ...context },
        headers,
      });
      return Object.fromEntries(requests[0]?.headers ?? []);
    };

    it('is added, and gives way to headers of the action', async () => {
      expect(await sent({ traceHeaders }, new Map([['x-a', 'own']]))).toEqual({
        traceparent: 'theirs',
        'x-a': 'own',
      });
    });

    it('is left out where the action brings its own, or there is none', async () => {
      expect(await sent({ traceHeaders }, new Map([['traceparent', 'own']]))).toEqual({
        traceparent: 'own',
      });
      expect(await sent({ traceHeaders: new Map() })).toEqual({});
      expect(await sent({})).toEqual({});
    });

    it('of the watch comes first', async () => {
      const observe = () => ({
        traceHeaders: new Map([['traceparent', 'watch']]),
        ended: () => {},
      });
      expect(await sent({ traceHeaders, observe })).toEqual({ traceparent: 'watch' });
    });
  });
});
