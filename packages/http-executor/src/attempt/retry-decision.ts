import {
  type Classification,
  type Method,
  RETRIED_METHODS,
  type ResponseHeaders,
} from '@gatehouse/contracts';
import type { AttemptResult } from './attempt.ts';

/** When to try again (spec `http-executor.md` section 8). Durations are milliseconds. */
export interface RetryPolicy {
  readonly methods: readonly Method[];
  readonly maxAttempts: number;
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
}

export const RETRY_POLICY: RetryPolicy = {
  methods: RETRIED_METHODS,
  maxAttempts: 3,
  baseDelayMs: 200,
  maxDelayMs: 2_000,
};

/** How a result is a transient failure; undefined: it is none. */
export function classify(
  result: AttemptResult,
): { classification: Classification; status?: number } | undefined {
  if ('response' in result) {
    const { status } = result.response;
    return status === 429 || (status >= 500 && status <= 599)
      ? { classification: 'status', status }
      : undefined;
  }
  const { classification } = result.fault;
  return classification === undefined ? undefined : { classification };
}

/** Why no further attempt is made; `settled`: another one would not help, or might harm. */
export type StopReason = 'settled' | 'exhausted' | 'draining' | 'out_of_time';

export type RetryDecision =
  | { readonly retry: true; readonly delayMs: number }
  | { readonly retry: false; readonly reason: StopReason };

/**
 * Decides after a transient failure, in this order:
 * 1. the method is never sent twice;
 * 2. the total time is over;
 * 3. the attempts are used up;
 * 4. the process is about to end;
 * 5. the wait would outlast the total time;
 * 6. otherwise wait and try again.
 */
export function decideRetry(
  policy: RetryPolicy,
  failed: {
    method: Method;
    attempt: number;
    retryAfterMs: number;
    remainingMs: number;
    draining: boolean;
  },
): RetryDecision {
  if (!policy.methods.includes(failed.method)) return { retry: false, reason: 'settled' };
  if (failed.remainingMs <= 0) return { retry: false, reason: 'out_of_time' };
  if (failed.attempt >= policy.maxAttempts) return { retry: false, reason: 'exhausted' };
  if (failed.draining) return { retry: false, reason: 'draining' };
  const backoffMs = policy.baseDelayMs * 2 ** (failed.attempt - 1);
  const delayMs = Math.min(Math.max(backoffMs, failed.retryAfterMs), policy.maxDelayMs);
  if (delayMs >= failed.remainingMs) return { retry: false, reason: 'out_of_time' };
  return { retry: true, delayMs };
}

/** The three forms of an HTTP date (RFC 9110, section 5.6.7); asctime has no `GMT`. */
const HTTP_DATE =
  /^(?:[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT|[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4})$/;

/** The `Retry-After`, in seconds or as a date; undefined: absent or unreadable. */
export function retryAfterMs(headers: ResponseHeaders, now: Date): number | undefined {
  const value = headers['retry-after'];
  if (typeof value !== 'string') return undefined;
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1_000, Number.MAX_SAFE_INTEGER);
  if (!HTTP_DATE.test(value)) return undefined;
  const date = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
