import { type Method, RETRIED_METHODS, type ResponseHeaders } from '@gatehouse/contracts';
import type { TransientFailure } from '../attempt/result.ts';

/** `http-executor.md`, section 8. */
interface RetryPolicy {
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

/** Reason to stop. `settled` means that another attempt would not help, or might do harm. */
export type StopReason = 'settled' | 'exhausted' | 'draining' | 'out_of_time';

export type RetryDecision =
  | { readonly retry: true; readonly delayMs: number }
  | { readonly retry: false; readonly reason: StopReason };

export interface LatestAttempt {
  /** Undefined after a success, or after a failure that another attempt would not cure. */
  readonly failure: TransientFailure | undefined;
  readonly method: Method;
  readonly attempt: number;
  readonly retryAfterMs: number;
  readonly remainingMs: number;
  readonly draining: boolean;
}

/**
 * Decides in this order:
 * 1. stop if the failure is not transient, or the method is never retried;
 * 2. stop if the total time is over;
 * 3. stop after the last attempt;
 * 4. stop if the process is about to end;
 * 5. stop if the wait would outlast the total time;
 * 6. otherwise wait and try again.
 */
export function decideRetry(policy: RetryPolicy, latest: LatestAttempt): RetryDecision {
  const { failure, method, attempt, remainingMs } = latest;
  if (failure === undefined) return { retry: false, reason: 'settled' };
  if (!policy.methods.includes(method)) return { retry: false, reason: 'settled' };
  if (remainingMs <= 0) return { retry: false, reason: 'out_of_time' };
  if (attempt >= policy.maxAttempts) return { retry: false, reason: 'exhausted' };
  if (latest.draining) return { retry: false, reason: 'draining' };
  const backoffMs = policy.baseDelayMs * 2 ** (attempt - 1);
  const delayMs = Math.min(Math.max(backoffMs, latest.retryAfterMs), policy.maxDelayMs);
  if (delayMs >= remainingMs) return { retry: false, reason: 'out_of_time' };
  return { retry: true, delayMs };
}

/** The three forms of an HTTP date (RFC 9110, section 5.6.7), the last of them without `GMT`. */
const HTTP_DATE =
  /^(?:[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT|[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4})$/;

/** Parses `Retry-After`, in seconds or as a date; undefined if it is absent or malformed. */
export function retryAfterMs(headers: ResponseHeaders, now: Date): number | undefined {
  const value = headers['retry-after'];
  if (typeof value !== 'string') return undefined;
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1_000, Number.MAX_SAFE_INTEGER);
  if (!HTTP_DATE.test(value)) return undefined;
  const date = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
