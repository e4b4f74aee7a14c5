import { type HttpRetryRecord, type Method, RETRIED_METHODS } from '@gatehouse/contracts';
import type { TransientFailure } from '../attempt/result.ts';

/** Limits on retries (`http-executor.md`, section 8). */
export const RETRY_POLICY = {
  methods: RETRIED_METHODS,
  maxAttempts: 3,
  baseDelayMs: 200,
  maxDelayMs: 2_000,
} as const;

/**
 * Reason for not trying again:
 * - `settled`: another attempt would not help, or might perform the action twice;
 * - `told_to_wait`: the upstream asked for a longer wait than `maxDelayMs`;
 * - `exhausted`: all attempts are used up;
 * - `draining`: the process is shutting down;
 * - `out_of_time`: the total time limit is reached.
 */
export type StopReason = 'settled' | 'told_to_wait' | 'exhausted' | 'draining' | 'out_of_time';

/** Decision on another attempt after a wait, or on the end. */
export type Decision =
  | { readonly again: true; readonly afterMs: number; readonly withNewToken: boolean }
  | { readonly again: false; readonly reason: StopReason };

export interface AttemptFacts {
  readonly method: Method;
  readonly attempt: number;
  /** The failure, if another attempt may succeed. */
  readonly failure: TransientFailure | undefined;
  /** True if the upstream refused a token that can be renewed. */
  readonly tokenRefused: boolean;
  readonly retryAfterMs: number;
  readonly remainingMs: number;
  readonly draining: boolean;
}

/**
 * Decides whether to try again. The first case that applies counts:
 * 1. the failure is permanent, or the method is never retried;
 * 2. the total time limit is reached;
 * 3. this was the last attempt;
 * 4. the process is shutting down;
 * 5. the upstream refused the token: try again at once, with a new token (in cases 2 to 4, a
 *    refused token is `settled`);
 * 6. the upstream asked for a longer wait than we accept;
 * 7. the wait would exceed the total time limit;
 * 8. otherwise try again after a wait.
 */
export function decide(facts: AttemptFacts): Decision {
  const { methods, maxAttempts, baseDelayMs, maxDelayMs } = RETRY_POLICY;
  const { method, attempt, failure, tokenRefused, remainingMs } = facts;
  if (failure === undefined && !tokenRefused) return stop('settled');

  if (!methods.includes(method)) return stop('settled');

  const isLast = remainingMs <= 0 || attempt >= maxAttempts || facts.draining;
  if (tokenRefused)
    return isLast ? stop('settled') : { again: true, afterMs: 0, withNewToken: true };

  if (remainingMs <= 0) return stop('out_of_time');

  if (attempt >= maxAttempts) return stop('exhausted');

  if (facts.draining) return stop('draining');

  if (facts.retryAfterMs > maxDelayMs) return stop('told_to_wait');

  const backoffMs = Math.min(baseDelayMs * 2 ** (attempt - 1), maxDelayMs);
  const afterMs = Math.max(backoffMs, facts.retryAfterMs);
  if (afterMs >= remainingMs) return stop('out_of_time');

  return { again: true, afterMs, withNewToken: false };
}

const stop = (reason: StopReason): Decision => ({ again: false, reason });

/** The telemetry event `executor_http.retry` (`http-executor.md`, section 6). */
export interface RetryEvent extends Omit<HttpRetryRecord, 'duration_ms'> {
  readonly host: string;
  readonly method: Method;
}
