import { describe, expect, it } from 'vitest';
import { decideRetry, RETRY_POLICY } from '../src/retry/retry-decision.ts';

const FAILED = {
  method: 'GET',
  attempt: 1,
  retryAfterMs: 0,
  remainingMs: 60_000,
  draining: false,
} as const;

describe('the decision to retry', () => {
  it('doubles the wait up to the cap', () => {
    const policy = { ...RETRY_POLICY, maxAttempts: 10 };
    const waits = [1, 2, 3, 4, 5, 6].map((attempt) => decideRetry(policy, { ...FAILED, attempt }));
    const expected = [200, 400, 800, 1_600, 2_000, 2_000];
    expect(waits).toEqual(expected.map((delayMs) => ({ retry: true, delayMs })));
  });

  const ALL = { method: 'POST', attempt: 3, remainingMs: 0, draining: true } as const;
  it.each([
    ['settled', ALL],
    ['out_of_time', { ...ALL, method: 'GET' }],
    ['exhausted', { ...ALL, method: 'GET', remainingMs: 1 }],
    ['draining', { remainingMs: 1, draining: true }],
    ['out_of_time', { remainingMs: 200 }],
  ] as const)('stops: %s %j', (reason, failed) => {
    const decision = decideRetry(RETRY_POLICY, { ...FAILED, ...failed });
    expect(decision).toEqual({ retry: false, reason });
  });
});
