import {
  createGate,
  type Explained,
  type GatedAction,
  type NeedsApproval,
  type PolicyClient,
} from '@gatehouse/client';
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import { ANSWER_MS, type Answer, type Approvals, MAX_QUESTIONS } from '../approval.ts';
import type { Executor } from '../backends/executor.ts';
import type { Policy } from '../backends/policy.ts';
import { toGatedResult } from './gated-result.ts';
import { decisionFields, resultFields, upstreamFields } from './log-fields.ts';
import { MAX_QUESTION_CHARS, questionFor } from './question.ts';
import { toToolResult } from './result-text.ts';
import type { Call } from './tool.ts';

export interface Backends {
  readonly policy: Policy;
  readonly executor: Executor;
  /** Signs what the host's user approves, if the operator trusts the host. */
  readonly approver: Pick<PolicyClient, 'approve'> | undefined;
  /** True for a header whose value MCP hosts should not show or store, such as `Authorization`. */
  readonly isCredential: (name: string) => boolean;
  readonly logAmounts: boolean;
}

interface Parts extends Backends {
  readonly approvals: Approvals;
}

export interface Requested {
  readonly gated: GatedAction;
  /** Approval that an approver has signed for this action before. */
  readonly approval?: string | undefined;
}

/**
 * Sends an action if the policy allows it, and asks the user if it needs approval:
 * - A 2025 host (`elicit`) answers during the call, and `carryOut` then calls itself.
 * - A 2026 host gets the question as the result, and calls the tool again with the answer.
 * Either way, the policy is asked again, because it may have changed in the meantime.
 */
export async function carryOut(
  { gated, approval }: Requested,
  answer: Answer,
  parts: Parts,
  call: Call,
): Promise<CallToolResult | InputRequiredResult> {
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

  const asked = failure() ?? ask(gated, result, parts, call);
  if (typeof asked === 'string') return finish(asked);

  log({ state: 'asking', approval: result.digest });

  const { elicit, progress } = call;
  if (elicit === undefined) return asked;

  const next = await parts.approvals.waitFor(asked, { elicit, progress }).catch(hostFailed);
  return typeof next === 'string' ? finish(next) : carryOut({ gated, approval }, next, parts, call);
}

/** Returns an `approve` for the gate, and a function that says why an approval was not signed. */
function approveWith(answer: Answer, { approver }: Parts, { requestId, signal }: Call) {
  let failure: string | undefined;
  const approve = async ({ digest, approvalRequest: request }: NeedsApproval) => {
    if (digest !== answer.digest) return false;
    if (request === undefined || approver === undefined) return request === undefined;

    const signing = approver.approve({ approval_request: request }, { requestId, signal });
    return await signing.catch(({ message }: Error) => {
      failure = `The user approved, but the approval was not signed. ${message} ${NOT_SIGNED}`;
      return false;
    });
  };
  return { approve, failure: () => failure };
}

/** Returns the question for the user, or the reason why no one can be asked. */
function ask(
  { action, check }: GatedAction,
  { reason, digest, approvalRequest }: NeedsApproval,
  { approvals, approver, isCredential }: Parts,
  { host, canAsk }: Call,
): InputRequiredResult | string {
  if (approvalRequest !== undefined && approver === undefined) return SIGN;
  if (!canAsk) return NO_ELICITATION;
  const question = questionFor(action, check, reason, isCredential);
  if (question.length > MAX_QUESTION_CHARS) return TOO_LONG;
  return approvals.ask(question, digest, host) ?? TOO_MANY;
}

const SIGN =
  'No one was asked, because an approver must sign the approval. Ask the user to have an approver run `gatehouse approve APPROVAL_REQUEST`, with the `approval_request` of this result. Then call the tool again with the same arguments, and with the signed approval in `approval`.';
const NOT_SIGNED =
  'Tell the user that an operator must correct `GATEHOUSE_APPROVER_TOKEN`, or call the tool again later.';
const INSTEAD =
  'Ask the user to carry out the action without this tool, or to have an operator either connect a host that supports elicitation, or allow such actions in the profile.';
const NO_ELICITATION = `No one was asked, because this MCP host cannot show an approval request to its user: it does not declare the capability \`elicitation\`. ${INSTEAD}`;
const hostFailed = ({ message }: Error) =>
  `The host got no answer from its user (${message}). ${INSTEAD}`;
const TOO_MANY = `No one was asked, because ${MAX_QUESTIONS} other questions are waiting for the user. Call the tool again after the user has answered a waiting question, or after ${ANSWER_MS / 60_000} minutes.`;
const TOO_LONG = `No one was asked, because the request is too long to show: a question has at most ${MAX_QUESTION_CHARS} characters. Send a shorter request, or ask the user to review the request and send it without this tool.`;

/** Returns a gate that keeps the policy's latest explanation. */
function explainingGate({ policy, executor }: Backends) {
  let latest: Explained | undefined;
  const check: Policy['explain'] = async (request, options) => {
    latest = await policy.explain(request, options);
    return latest;
  };
  return { gate: createGate({ policy: { check }, executor }), explained: () => latest };
}
