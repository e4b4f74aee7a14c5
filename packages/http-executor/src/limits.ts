import { ACTION_LIMITS } from '@gatehouse/contracts';

/** Limits on executions: durations in milliseconds, sizes in bytes. */
export interface ExecutionLimits {
  /** Time limit for one attempt, from name resolution to the last byte. */
  readonly attemptTimeoutMs: number;
  /** Time limit for all attempts and the waits between them. */
  readonly totalTimeoutMs: number;
  /** Maximum size of an action, checked by the caller. An encoded form may be twice this size. */
  readonly maxRequestBytes: number;
  /** Maximum size of a response body after decompression. */
  readonly maxResponseBytes: number;
  /** Memory for the response bodies of all executions together. */
  readonly maxBufferedBytes: number;
  readonly maxExecutions: number;
  readonly maxExecutionsPerHost: number;
  readonly maxWaitMs: number;
}

/** Default limits (`http-executor.md`, section 8). */
export const EXECUTION_DEFAULTS = {
  attemptTimeoutMs: 15_000,
  totalTimeoutMs: 60_000,
  maxRequestBytes: ACTION_LIMITS.requestBytes,
  maxResponseBytes: 10 * 1024 * 1024,
  maxBufferedBytes: 48 * 1024 * 1024,
  maxExecutions: 1_000,
  maxExecutionsPerHost: 256,
  maxWaitMs: 1_000,
} as const satisfies ExecutionLimits;

/** Shorter secrets stay visible, because they would match ordinary text by chance. */
export const MIN_SECRET_CHARS = 8;
