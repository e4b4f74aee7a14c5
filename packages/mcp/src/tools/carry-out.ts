import {
  createGate,
  type Explained,
  type GatedAction,
  type NeedsApproval,
} from '@gatehouse/client';
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import type { Answer } from '../approval.ts';
import type { Executor } from '../backends/executor.ts';
import type { Policy } from '../backends/policy.ts';
import { type Asking, ask, unanswered } from './ask.ts';
import { toGatedResult } from './gated-result.ts';
import { decisionFields, resultFields, upstreamFields } from './log-fields.ts';
import { toToolResult } from './result-text.ts';
import type { Call } from './tool.ts';

export interface Backends extends Omit<Asking, 'approvals'> {
  readonly policy: Policy;
  readonly executor: Executor;
  readonly logAmounts: boolean;
}

type Parts = Backends & Asking;

export interface Requested {
  readonly gated: GatedAction;
  /** Approval that an approver has signed for this action before. */
  readonly approval?: string | undefined;
}

/**
 * Sends an action if the policy allows it, and asks the user if it needs approval:
 * - A host of MCP 2025 answers during the call (`call.elicit`), and `carryOut` then calls itself.
 * - A host of MCP 2026 gets the question as the result, and calls the tool again with the answer.
 * Either way, the policy is asked again, because it may have changed in the meantime.
 */
export async function carryOut(
  { gated, approval }: Requested,
  answer: Answer,
  parts: Parts,
  call: Call,
): Promise<CallToolResult | InputRequiredResult> {
  if (answer.wait !== undefined) return answer.wait;

  const { gate, explained } = explainingGate(parts);
  const log = (fields: object) =>
    call.log({
      ...{ approval: answer.digest, ...fields },
      ...decisionFields(gated.check, explained(), parts.logAmounts),
      ...upstreamFields(gated.action),
    });
  if (answer.declined) {
    // With the action in the check, the gate asks only the policy, and sends nothing.
    const check = { ...gated.check, action: gated.action };
    const { requestId: request_id, rules } = await gate.check({ check }, call);
    log({ state: 'declined' });
    const digest = explained()?.explanation.digest;
    return toToolResult({ state: 'declined', request_id, rules, ...(digest && { digest }) });
  }

  const { requestId, signal } = call;
  // The gate does a dry run only if there is an `approve`, so pass one even without an approval.
  const { approve, failure } = approveWith(answer, parts, call);
  const result = await gate.run(gated, { requestId, signal, approve, approval });
  const finish = (unasked?: string) => {
    log({ ...resultFields(result), unasked });
    const explanation = explained()?.explanation;
    const given = toGatedResult(result, explanation);
    const reason = unasked === undefined ? given.reason : `${given.reason} ${unasked}`;
    return toToolResult({ ...given, ...(reason && { reason }) }, explanation);
  };
  if (result.state !== 'needs_approval') return finish();

  const asked = answer.undecided
    ? unanswered('no choice on the page', result)
    : (failure() ?? ask(gated, result, parts, call));
  if (typeof asked === 'string') return finish(asked);

  log({ state: 'asking', approval: result.digest });

  const { elicit } = call;
  if (elicit === undefined) return asked;

  const next = await parts.approvals
    .waitFor(asked, { ...call, elicit })
    .catch(({ message }: Error) => unanswered(message, result));
  return typeof next === 'string' ? finish(next) : carryOut({ gated, approval }, next, parts, call);
}

/** Returns an `approve` for the gate, and a function that says why an approval was not signed. */
function approveWith({ digest, request }: Answer, { approver }: Parts, call: Call) {
  const { requestId, signal } = call;
  let failure: string | undefined;
  const approve = async (pending: NeedsApproval) => {
    if (pending.digest !== digest) return false;
    if (request === undefined || approver === undefined)
      return pending.approvalRequest === undefined;

    // INVARIANT: what is signed is what the user saw, and not the new request of the second check.
    const signing = approver.approve({ approval_request: request }, { requestId, signal });
    return await signing.catch(({ message }: Error) => {
      failure = `The user approved, but the approval was not signed. ${message} ${NOT_SIGNED}`;
      return false;
    });
  };
  return { approve, failure: () => failure };
}

const NOT_SIGNED =
  "Tell the user that an operator must correct this server's approver token, or call the tool again later.";

/** Returns a gate that keeps the policy's latest explanation. */
function explainingGate({ policy, executor }: Backends) {
  let latest: Explained | undefined;
  const check: Policy['explain'] = async (request, options) => {
    latest = await policy.explain(request, options);
    return latest;
  };
  return { gate: createGate({ policy: { check }, executor }), explained: () => latest };
}
