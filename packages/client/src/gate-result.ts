import type { ExecutionOutcome, Problem, RuleDecision } from '@gatehouse/contracts';
import type { GatehouseError } from './errors.ts';

/** Members of every result. */
export interface Decided {
  /** The `x-request-id` of all calls. */
  readonly requestId: string;
  readonly rules: readonly RuleDecision[];
}

/** Nothing was sent: the policy denies it, or gave no usable answer. */
export interface Denied extends Decided {
  readonly state: 'denied';
  readonly reason: string;
  /** Present when there was no usable answer. */
  readonly error?: GatehouseError;
}

/** Nothing was sent: a person has to approve it. */
export interface NeedsApproval extends Decided {
  readonly state: 'needs_approval';
  readonly reason: string;
  /** Identifies exactly this action and check, for this reason: see `approvalDigest`. */
  readonly digest: string;
}

/** Nothing was sent: the executor refused the action. */
export interface Refused extends Decided {
  readonly state: 'refused';
  readonly reason: string;
  readonly problem: Problem;
}

/** A request was sent; the outcome may be a failure. */
export interface Executed extends Decided {
  readonly state: 'executed';
  readonly outcome: ExecutionOutcome;
}

/**
 * The executor gave no usable answer, so that the action may have been carried out; or none
 * before a person is asked, or that the request would fail.
 */
export interface Unanswered extends Decided {
  readonly state: 'unanswered';
  readonly reason: string;
  readonly error: GatehouseError;
  /** False: surely nothing was sent. */
  readonly maybeSent: boolean;
}

export type GateResult = Denied | NeedsApproval | Refused | Executed | Unanswered;

/** The policy allows it; nothing was sent yet. */
export interface Allowed extends Decided {
  readonly state: 'allowed';
}

export type Verdict = Denied | NeedsApproval | Allowed | Refused | Unanswered;
