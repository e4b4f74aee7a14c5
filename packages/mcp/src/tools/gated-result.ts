import type { GateResult } from '@gatehouse/client';
import type { ExecutionOutcome, Explanation, Problem, RuleDecision } from '@gatehouse/contracts';
import { missingSections } from './remedy.ts';

/** Result of `http_request`. The README says what each `state` means. */
export interface GatedResult {
  /** Nothing was sent, unless `maybe_sent` is true or `state` is `executed`. */
  readonly state: 'executed' | 'needs_approval' | 'declined' | 'denied' | 'refused' | 'unanswered';
  /** `x-request-id` shared by all log lines and service calls for this request. */
  readonly request_id: string;
  /** Decision of each rule, or an empty list if the policy gave no decision. */
  readonly rules: readonly RuleDecision[];
  /** Digest of the policy's profile. Absent if the policy gave no decision. */
  readonly digest?: string;
  /** Says why the outcome is missing. */
  readonly reason?: string;
  readonly problem?: Problem;
  readonly outcome?: ExecutionOutcome;
  /** Signed text that an approver must approve before the action can be sent. */
  readonly approval_request?: string;
  /** True if the action may have been carried out but its outcome is unknown. */
  readonly maybe_sent?: boolean;
}

/** Problems with this server's own token. Only an operator can correct the token. */
const TOKEN_PROBLEMS: readonly Problem['code'][] = ['Unauthorized', 'TokenNotAllowed'];
const TOKEN_REJECTED =
  "The executor service rejected this server's own token. Tell the user that an operator must correct `GATEHOUSE_EXECUTOR_TOKEN`.";

export function toGatedResult(result: GateResult, explanation?: Explanation): GatedResult {
  const { state, requestId: request_id, rules } = result;
  const decided = { request_id, rules, ...(explanation && { digest: explanation.digest }) };
  switch (state) {
    case 'executed': {
      const { outcome } = result;
      return { state, ...decided, outcome, ...(isUnknown(outcome) && { maybe_sent: true }) };
    }

    case 'refused': {
      const { problem } = result;
      const detail = TOKEN_PROBLEMS.includes(problem.code) ? TOKEN_REJECTED : problem.detail;
      return { state, ...decided, reason: detail, problem: { ...problem, detail } };
    }

    case 'unanswered':
      return { state, ...decided, reason: result.reason, maybe_sent: result.maybeSent };

    case 'needs_approval': {
      const advice = missingSections(rules, explanation);
      const reason = advice === undefined ? result.reason : `${advice} ${result.reason}`;
      const { approvalRequest: request } = result;
      return { state, ...decided, reason, ...(request && { approval_request: request }) };
    }

    default:
      return { state, ...decided, reason: result.reason };
  }
}

/** True if the executor ended during the execution, and does not know whether it was sent. */
export const isUnknown = (outcome: ExecutionOutcome): boolean =>
  outcome.outcome === 'failure' && outcome.error === 'OutcomeUnknown';
