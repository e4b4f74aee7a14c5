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

/**
 * What kind of transient failure a result is; undefined: none, so that trying again would
 * change nothing.
 */
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

/** To wait and try again, or why not. */
export type RetryDecision =
  | { readonly retry: true; readonly delayMs: number }
  | { readonly retry: false; readonly why: 'method' | 'attempts' | 'draining' | 'time' };

/**
 * Decides after a transient failure, in this order: the method is never sent twice; the
 * attempts are used up; the process is about to end; the wait would outlast the total
 * time; otherwise wait and try again.
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
  if (!policy.methods.includes(failed.method)) return { retry: false, why: 'method' };
  if (failed.attempt >= policy.maxAttempts) return { retry: false, why: 'attempts' };
  if (failed.draining) return { retry: false, why: 'draining' };
  const backoffMs = policy.baseDelayMs * 2 ** (failed.attempt - 1);
  const delayMs = Math.min(Math.max(backoffMs, failed.retryAfterMs), policy.maxDelayMs);
  return delayMs >= failed.remainingMs ? { retry: false, why: 'time' } : { retry: true, delayMs };
}

/**
 * The three forms of an HTTP date (RFC 9110, section 5.6.7): the one that senders write,
 * and two obsolete ones, of RFC 850 and of asctime, that recipients accept too. The last
 * one means GMT without saying it.
 */
const HTTP_DATE =
  /^(?:[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT|[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4})$/;

/**
 * What `Retry-After` asks for, in seconds or as a date; 0 when it is absent, past or
 * unreadable.
 */
export function retryAfterMs(headers: ResponseHeaders, now: Date): number {
  const value = headers['retry-after'];
  if (typeof value !== 'string') return 0;
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const date = HTTP_DATE.test(value)
    ? Date.parse(value.endsWith('GMT') ? value : `${value} GMT`)
    : Number.NaN;
  return Number.isNaN(date) ? 0 : Math.max(0, date - now.getTime());
}
