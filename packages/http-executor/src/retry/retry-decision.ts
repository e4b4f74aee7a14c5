import { type HttpRetryRecord, type Method, RETRIED_METHODS } from '@gatehouse/contracts';
import type { ReceivedResponse } from '../attempt/result.ts';

/** Limits on retries (`http-executor.md`, section 8). */
export const RETRY_POLICY = {
  methods: RETRIED_METHODS,
  maxAttempts: 3,
  baseDelayMs: 200,
  maxDelayMs: 2_000,
} as const;

/**
 * Reason for not retrying. `settled`: a retry would not help or might perform the action twice, or
 * the only attempt used up the total time.
 */
export type StopReason = 'settled' | 'exhausted' | 'draining' | 'out_of_time';

type RetryDecision =
  | { readonly retry: true; readonly delayMs: number }
  | { readonly retry: false; readonly reason: StopReason };

interface FailedAttempt {
  readonly method: Method;
  readonly attempt: number;
  readonly retryAfterMs: number;
  readonly remainingMs: number;
  readonly draining: boolean;
}

/**
 * Decides whether to retry, in this order:
 * 1. stop if the method is never retried;
 * 2. stop if the total time limit is reached;
 * 3. stop after the last attempt;
 * 4. stop if the process is shutting down;
 * 5. stop if the wait would exceed the total time limit;
 * 6. otherwise wait and try again.
 */
export function decideRetry(failed: FailedAttempt): RetryDecision {
  const { methods, maxAttempts, baseDelayMs, maxDelayMs } = RETRY_POLICY;
  const { method, attempt, remainingMs } = failed;
  if (!methods.includes(method)) return { retry: false, reason: 'settled' };
  if (remainingMs <= 0) return { retry: false, reason: 'out_of_time' };
  if (attempt >= maxAttempts) return { retry: false, reason: 'exhausted' };
  if (failed.draining) return { retry: false, reason: 'draining' };
  const backoffMs = baseDelayMs * 2 ** (attempt - 1);
  const delayMs = Math.min(Math.max(backoffMs, failed.retryAfterMs), maxDelayMs);
  if (delayMs >= remainingMs) return { retry: false, reason: 'out_of_time' };
  return { retry: true, delayMs };
}

/** Returns `Retry-After` in milliseconds, or undefined if the header is absent or malformed. */
export function retryAfterMs({ headers }: ReceivedResponse, now: Date): number | undefined {
  const value = headers['retry-after']?.toString().trim() ?? '';
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1_000, Number.MAX_SAFE_INTEGER);
  const date = new Date(value);
  // `Date` parses many formats, but an HTTP date always has the format of `toUTCString`.
  const isDate = date.toUTCString() === value && !Number.isNaN(date.getTime());
  return isDate ? Math.max(0, date.getTime() - now.getTime()) : undefined;
}

/** The telemetry event `executor_http.retry` (`http-executor.md`, section 6). */
export interface RetryEvent extends Omit<HttpRetryRecord, 'duration_ms'> {
  readonly host: string;
  readonly method: Method;
}
