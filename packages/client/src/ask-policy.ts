import { randomUUID } from 'node:crypto';
import {
  type CheckRequest,
  type CheckResponse,
  problemDocument,
  summarizeViolations,
} from '@gatehouse/contracts';
import { readDecision } from './answers.ts';
import { GatehouseError, gatehouseError, ProblemError } from './errors.ts';
import type { Denied, Refused, Verdict } from './gate-result.ts';
import {
  approvalDigest,
  frozenCopy,
  type GatedAction,
  withoutCredentials,
} from './gated-action.ts';
import type { CallOptions } from './options.ts';

/** A `PolicyClient`, or an object whose `check` calls the policy engine in this process. */
export interface Policy {
  check(request: CheckRequest, options: CallOptions): CheckResponse | Promise<CheckResponse>;
}

export interface CheckOptions extends CallOptions {
  /** A person's signed approval of this action and check, from `POST /policy/approvals`. */
  readonly approval?: string | undefined;
}

/** Argument of `check`. Without an `action`, `check` does not call the executor. */
export type Checkable = Pick<GatedAction, 'check'> & Partial<GatedAction>;

export interface Asked<T> {
  readonly verdict: Verdict;
  /** Decision token of an allowed action, if the policy signs its decisions. */
  readonly token?: string | undefined;
  readonly gated: T;
  readonly call: CallOptions & { readonly requestId: string };
}

/**
 * INVARIANT: without a usable decision, the action is denied or refused. The policy, `approve` and
 * the executor all use the same frozen copy of the action and its check.
 */
export async function askPolicy<T extends Checkable>(
  policy: Policy,
  given: T,
  needsAction: boolean,
  { requestId = randomUUID(), approval, ...options }: CheckOptions = {},
): Promise<Asked<T>> {
  const call = { ...options, requestId };
  try {
    const gated = frozenCopy(given, needsAction);
    const action = gated.action ?? gated.check.action;
    const check = {
      ...{ request_id: requestId, ...gated.check },
      ...(action && { action: withoutCredentials(action) }),
      ...(approval !== undefined && { approval }),
    };
    const decided = readDecision(await policy.check(check, call), check);
    if (decided === undefined) throw new GatehouseError(NO_DECISION);

    return { verdict: toVerdict(decided, gated, requestId), token: decided.token, gated, call };
  } catch (cause) {
    const verdict = withoutDecision(gatehouseError(cause), requestId);
    return { verdict, gated: given, call };
  }
}

const NO_DECISION =
  'The policy returned an invalid decision: every rule must have exactly one outcome, and the decision must be the strictest outcome.';

function toVerdict(answer: CheckResponse, gated: Checkable, requestId: string): Verdict {
  const { decision, rules, approval_request: approvalRequest } = answer;
  const decided = { requestId, rules };
  if (decision === 'allow') return { state: 'allowed', ...decided };

  const deciding = rules.filter(({ outcome }) => outcome === decision);
  const reason = deciding.map(({ rule, detail }) => `${rule}: ${detail}`).join(' ');
  if (decision === 'deny') return { state: 'denied', ...decided, reason };

  const digest = approvalDigest(gated, reason);
  const pending = { ...decided, reason, digest, ...(approvalRequest && { approvalRequest }) };
  return { state: 'needs_approval', ...pending };
}

function withoutDecision(error: GatehouseError, requestId: string): Denied | Refused {
  const { message: reason, retryAfterMs } = error;
  const undecided = { requestId, rules: [], reason, retryAfterMs };
  const errors = violationsOfAction(error);
  if (errors.length === 0) return { state: 'denied', ...undecided, error };

  const detail = summarizeViolations(errors);
  const problem = problemDocument('InvalidAction', { detail, requestId, violations: errors });
  const { message } = new ProblemError('policy', problem);
  return { state: 'refused', ...undecided, reason: message, problem };
}

/** Lists the violations of a check that is invalid only because its action is malformed. */
function violationsOfAction(error: GatehouseError) {
  const { errors = [] } = error instanceof ProblemError ? error.problem : {};
  const inAction = errors.filter(({ pointer }) => pointer.startsWith('/action/'));
  if (inAction.length < errors.length) return [];

  return inAction.map(({ pointer, message }) => {
    return { pointer: pointer.slice('/action'.length), message };
  });
}
