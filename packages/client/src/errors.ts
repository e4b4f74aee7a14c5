import type { Problem } from '@gatehouse/contracts';

/** Base class of `ProblemError` and `NoAnswerError`. */
export class GatehouseError extends Error {
  override readonly name: string = 'GatehouseError';
  /** Milliseconds to wait before the next call, from the `Retry-After` header of a 429 or 503. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { cause, retryAfterMs }: Partial<GatehouseError> = {}) {
    super(message, { cause });
    this.retryAfterMs = retryAfterMs;
  }
}

export function gatehouseError(cause: unknown): GatehouseError {
  return cause instanceof GatehouseError ? cause : new GatehouseError(String(cause), { cause });
}

/** Means that the service refused the request and did nothing. */
export class ProblemError extends GatehouseError {
  override readonly name = 'ProblemError';
  readonly problem: Problem;

  constructor(service: string, problem: Problem, retryAfterMs?: number) {
    const message = `The ${service} refused the request with ${problem.code}: ${problem.detail}`;
    super(message, { retryAfterMs });
    this.problem = problem;
  }
}

/**
 * Reasons why a call has no usable answer:
 * - `unusable`: the answer has an unexpected format.
 * - `failed`: the service answered with a 5xx status.
 * - `unsendable`: the call itself is invalid or the client is closed, so nothing was sent.
 */
export type NoAnswerReason =
  | 'unreachable'
  | 'timeout'
  | 'aborted'
  | 'unusable'
  | 'failed'
  | 'unsendable';

export class NoAnswerError extends GatehouseError {
  override readonly name = 'NoAnswerError';
  readonly reason: NoAnswerReason;
  /** True if the service may have received the request; false if it definitely did not. */
  readonly maybeReceived: boolean;
  /** Problem document in the body of a 5xx response. */
  readonly problem: Problem | undefined;

  constructor(message: string, details: NoAnswerDetails) {
    super(message, details);
    this.reason = details.reason;
    this.maybeReceived = details.maybeReceived;
    this.problem = details.problem;
  }
}

type NoAnswerDetails = Partial<NoAnswerError> & Pick<NoAnswerError, 'reason' | 'maybeReceived'>;
