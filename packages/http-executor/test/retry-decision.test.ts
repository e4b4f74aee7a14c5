import { describe, expect, it } from 'vitest';
import { decideRetry } from '../src/retry/retry-decision.ts';

const FAILED = {
  method: 'GET',
  attempt: 1,
  retryAfterMs: 0,
  remainingMs: 60_000,
  draining: false,
} as const;

describe('the decision to retry', () => {
  const ALL = { method: 'POST', attempt: 3, remainingMs: 0, draining: true } as const;
  it.each([
    ['settled', ALL],
    ['out_of_time', { ...ALL, method: 'GET' }],
    ['exhausted', { ...ALL, method: 'GET', remainingMs: 1 }],
    ['draining', { remainingMs: 1, draining: true }],
    ['out_of_time', { remainingMs: 200 }],
  ] as const)('stops: %s %j', (reason, failed) => {
    const decision = decideRetry({ ...FAILED, ...failed });
    expect(decision).toEqual({ retry: false, reason });
  });
});
