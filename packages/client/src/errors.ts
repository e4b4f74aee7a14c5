import type { Problem } from '@gatehouse/contracts';

/** Base of every error of this package; `message` says what to assume. */
export class GatehouseError extends Error {
  override readonly name: string = 'GatehouseError';
  /** Milliseconds after which a busy service (429, 503) welcomes another call (`Retry-After`). */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { cause, retryAfterMs }: ErrorDetails = {}) {
    super(message, { cause });
    this.retryAfterMs = retryAfterMs;
  }
}

interface ErrorDetails {
  readonly cause?: unknown;
  readonly retryAfterMs?: number | undefined;
}

/** The error itself, if it is one of ours. */
export function gatehouseError(cause: unknown): GatehouseError {
  return cause instanceof GatehouseError ? cause : new GatehouseError(String(cause), { cause });
}

/** A service refused a request, and did nothing. */
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
 * Why there is no answer: the service is out of reach, too late, or gave an answer of an unknown
 * form (`unusable`) or a 5xx (`failed`); the caller gave up (`aborted`); or the call cannot be
 * sent as it is.
 */
export type NoAnswerReason =
  | 'unreachable'
  | 'timeout'
  | 'aborted'
  | 'unusable'
  | 'failed'
  | 'unsendable';

/** A service gave no answer that can be used. */
export class NoAnswerError extends GatehouseError {
  override readonly name = 'NoAnswerError';
  readonly reason: NoAnswerReason;
  /** False: surely nothing was received, so that an action was not carried out. */
  readonly maybeReceived: boolean;
  /** The problem in a 5xx, if it holds one. */
  readonly problem: Problem | undefined;

  constructor(message: string, details: NoAnswerDetails) {
    super(message, details);
    this.reason = details.reason;
    this.maybeReceived = details.maybeReceived;
    this.problem = details.problem;
  }
}

interface NoAnswerDetails extends ErrorDetails {
  readonly reason: NoAnswerReason;
  readonly maybeReceived: boolean;
  readonly problem?: Problem | undefined;
}
