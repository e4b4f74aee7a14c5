import type { FailureOutcome, Problem } from '@gatehouse/contracts';

/** What every error of this package is; `message` says what to assume. */
export class GatehouseError extends Error {
  override readonly name: string = 'GatehouseError';
}

/** The error itself, if it is one of ours. */
export function gatehouseError(cause: unknown): GatehouseError {
  return cause instanceof GatehouseError ? cause : new GatehouseError(String(cause), { cause });
}

/** A service refused a request, and did nothing. */
export class ProblemError extends GatehouseError {
  override readonly name = 'ProblemError';
  readonly problem: Problem;

  constructor(service: string, problem: Problem) {
    super(`The ${service} refused the request with ${problem.code}: ${problem.detail}`);
    this.problem = problem;
  }
}

/**
 * Why there is no answer: out of reach, too late, given up by the caller, of no known form,
 * a 5xx, or a call that cannot be sent as it is.
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
  /** Of a 5xx that is one. */
  readonly problem: Problem | undefined;

  constructor(message: string, { reason, maybeReceived, problem, cause }: NoAnswerDetails) {
    super(message, { cause });
    this.reason = reason;
    this.maybeReceived = maybeReceived;
    this.problem = problem;
  }
}

interface NoAnswerDetails {
  readonly reason: NoAnswerReason;
  readonly maybeReceived: boolean;
  readonly problem?: Problem | undefined;
  readonly cause?: unknown;
}

/** A request was sent, and its outcome is a failure (`executeOrThrow`). */
export class ExecutionFailedError extends GatehouseError {
  override readonly name = 'ExecutionFailedError';
  readonly outcome: FailureOutcome;

  constructor(outcome: FailureOutcome) {
    super(`${outcome.error}: ${outcome.message}`);
    this.outcome = outcome;
  }
}
