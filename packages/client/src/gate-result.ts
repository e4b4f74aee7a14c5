import type { ExecutionOutcome, Problem, RuleDecision } from '@gatehouse/contracts';
import type { GatehouseError } from './errors.ts';

export interface Decided {
  readonly requestId: string;
  readonly rules: readonly RuleDecision[];
}

interface WithoutOutcome extends Decided {
  readonly reason: string;
  /** Milliseconds that a busy service asked the caller to wait before the next call. */
  readonly retryAfterMs?: number | undefined;
}

/** Nothing was sent, because the policy denied the action or gave no usable answer. */
export interface Denied extends WithoutOutcome {
  readonly state: 'denied';
  /** Present only if the policy gave no usable answer. */
  readonly error?: GatehouseError;
}

/** Nothing was sent, because a person must approve the action first. */
export interface NeedsApproval extends WithoutOutcome {
  readonly state: 'needs_approval';
  /** Hash of the action, check and reason that a person must approve. See `approvalDigest`. */
  readonly digest: string;
  /** Present only if `approve` was called and did not approve, even if no one was asked. */
  readonly declined?: true;
  /**
   * Signed request that an approver sends to `POST /policy/approvals`. Present if the policy can
   * sign approvals.
   */
  readonly approvalRequest?: string;
}

/** Nothing was sent, because the executor refused the action, or the policy found it malformed. */
export interface Refused extends WithoutOutcome {
  readonly state: 'refused';
  readonly problem: Problem;
}

/** Means that the executor tried to send the action. The outcome may be a failure to connect. */
export interface Executed extends Decided {
  readonly state: 'executed';
  readonly outcome: ExecutionOutcome;
  /** Present if an earlier execution with the same idempotency key had this outcome. */
  readonly replayed?: true;
}

/**
 * Means that the executor gave no usable answer. If a dry run failed, nothing was sent and no one
 * was asked for approval. Otherwise, the action may have been executed.
 */
export interface Unanswered extends WithoutOutcome {
  readonly state: 'unanswered';
  readonly error: GatehouseError;
  /** True if the request may have been sent; false if it definitely was not. */
  readonly maybeSent: boolean;
}

export type Failed = Refused | Unanswered;

export type GateResult = Denied | NeedsApproval | Executed | Failed;

/** The policy allows the action, but nothing has been sent yet. */
export interface Allowed extends Decided {
  readonly state: 'allowed';
}

export type Verdict = Denied | NeedsApproval | Allowed | Failed;
