import type { Method } from '@gatehouse/contracts';
import { describe, expect, it } from 'vitest';
import { decideRetry, RETRY_POLICY } from '../src/retry/retry-decision.ts';

const FAILED = {
  failure: { classification: 'timeout' } as const,
  method: 'GET' as Method,
  attempt: 1,
  retryAfterMs: 0,
  remainingMs: 60_000,
  draining: false,
};
type Failed = Partial<typeof FAILED>;
const decide = (failed: Failed) => decideRetry(RETRY_POLICY, { ...FAILED, ...failed });

describe('decideRetry', () => {
  it.each<[name: string, failed: Failed, delayMs: number]>([
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
      ...[200, 400, 800, 1_600, 2_000, 2_000],
    ]);
  });

  it.each<[name: string, failed: Failed, reason: string]>([
    ['POST', { method: 'POST' }, 'settled'],
    ['PATCH, whatever else', { method: 'PATCH', attempt: 3, draining: true }, 'settled'],
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
    expect(decide(failed)).toEqual({ retry: false, reason });
  });
});
