/** Durations are milliseconds, sizes are bytes. */
export interface ExecutionLimits {
  /** From name resolution to the last byte of one attempt. */
  readonly attemptTimeoutMs: number;
  /** All attempts and the waits between them. */
  readonly totalTimeoutMs: number;
  /** Of an action; a form that it becomes may have twice as many. */
  readonly maxRequestBytes: number;
  /** Counted after decompression. */
  readonly maxResponseBytes: number;
}

/** How many executions may be in flight, and how long one more waits for its turn. */
export interface ConcurrencyLimits {
  readonly maxExecutions: number;
  readonly maxExecutionsPerHost: number;
  /** Milliseconds. */
  readonly maxWaitMs: number;
}

/** The defaults of spec `http-executor.md` section 8. */
export const EXECUTION_DEFAULTS = {
  attemptTimeoutMs: 15_000,
  totalTimeoutMs: 60_000,
  maxRequestBytes: 1024 * 1024,
  maxResponseBytes: 10 * 1024 * 1024,
  maxExecutions: 1_000,
  maxExecutionsPerHost: 256,
  maxWaitMs: 1_000,
} as const satisfies ExecutionLimits & ConcurrencyLimits;

/** Bodies nested deeper are refused on both sides: recursive readers overflow their stack. */
export const MAX_JSON_DEPTH = 256;
