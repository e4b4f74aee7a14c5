import { describe, expect, it } from 'vitest';
import { type AttemptFacts, decide } from '../../src/retry/decide.ts';

const FAILED: AttemptFacts = {
  ...{ method: 'GET', attempt: 1, failure: { classification: 'status', status: 503 } },
  ...{ tokenRefused: false, retryAfterMs: 0, remainingMs: 60_000, draining: false },
};

/** Facts that rule out another attempt for every reason. */
const ALL: Partial<AttemptFacts> = {
  ...{ method: 'POST', attempt: 3, remainingMs: 0, draining: true, retryAfterMs: 2_001 },
};

describe('the decision about another attempt', () => {
  it.each<[reason: string, facts: Partial<AttemptFacts>]>([
    ['settled', { ...ALL, failure: undefined }],
    ['settled', { failure: undefined }],
    ['settled', ALL],
    ['settled', { method: 'PATCH' }],
    ['out_of_time', { ...ALL, method: 'GET' }],
    ['exhausted', { ...ALL, method: 'GET', remainingMs: 1 }],
    ['exhausted', { attempt: 3 }],
    ['draining', { ...ALL, method: 'GET', remainingMs: 1, attempt: 2 }],
    ['told_to_wait', { retryAfterMs: 2_001 }],
    ['told_to_wait', { retryAfterMs: 2_001, remainingMs: 1 }],
    ['out_of_time', { remainingMs: 200 }],
    ['settled', { tokenRefused: true, failure: undefined, method: 'POST' }],
    ['settled', { tokenRefused: true, failure: undefined, attempt: 3 }],
    ['settled', { tokenRefused: true, failure: undefined, remainingMs: 0 }],
    ['settled', { tokenRefused: true, failure: undefined, draining: true }],
  ])('stops: %s %j', (reason, facts) => {
    expect(decide({ ...FAILED, ...facts })).toEqual({ again: false, reason });
  });

  it.each<[afterMs: number, facts: Partial<AttemptFacts>]>([
    [200, {}],
    [400, { attempt: 2 }],
    [200, { method: 'HEAD' }],
    [200, { method: 'PUT' }],
    [200, { method: 'DELETE' }],
    [200, { method: 'OPTIONS' }],
    [200, { retryAfterMs: 199 }],
    [201, { retryAfterMs: 201 }],
    [2_000, { retryAfterMs: 2_000 }],
    [200, { remainingMs: 201 }],
  ])('waits %i ms: %j', (afterMs, facts) => {
    const decision = { again: true, afterMs, withNewToken: false };
    expect(decide({ ...FAILED, ...facts })).toEqual(decision);
  });

  it('tries again at once with a new token', () => {
    const refused = { ...FAILED, failure: undefined, tokenRefused: true };
    const decision = { again: true, afterMs: 0, withNewToken: true };
    for (const attempt of [1, 2]) expect(decide({ ...refused, attempt })).toEqual(decision);
  });
});
