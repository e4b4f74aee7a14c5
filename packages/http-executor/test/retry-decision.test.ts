import { expect, it } from 'vitest';
import { decideRetry, RETRY_POLICY } from '../src/retry/retry-decision.ts';

it('the wait doubles up to the cap', () => {
  const policy = { ...RETRY_POLICY, maxAttempts: 10 };
  const failed = { method: 'GET', retryAfterMs: 0, remainingMs: 60_000, draining: false } as const;
  const waits = [1, 2, 3, 4, 5, 6].map((attempt) => decideRetry(policy, { ...failed, attempt }));
  const expected = [200, 400, 800, 1_600, 2_000, 2_000];
  expect(waits).toEqual(expected.map((delayMs) => ({ retry: true, delayMs })));
});
