import type { GatedAction, NeedsApproval, PolicyClient } from '@gatehouse/client';
import { requestText } from '@gatehouse/contracts';
import { unverifiedRequest } from '@gatehouse/contracts/signed';
import type { InputRequiredResult } from '@modelcontextprotocol/server';
import { ANSWER_MS, type Approvals, MAX_QUESTIONS } from '../approval.ts';
import type { ApprovalPages } from '../approval-pages.ts';
import { MAX_QUESTION_CHARS, questionFor } from './question.ts';
import type { Call } from './tool.ts';

/** Ways to ask the host's user. */
export interface Asking {
  readonly approvals: Approvals;
  /** Signs what the host's user approves, if the operator trusts the host. */
  readonly approver: Pick<PolicyClient, 'approve'> | undefined;
  /**
   * Pages that the host's user can open. Undefined without an approver's token, or if other
   * machines can use the server.
   */
  readonly pages: ApprovalPages | undefined;
  /** True for a header whose value MCP hosts should not show or store, such as `Authorization`. */
  readonly isCredential: (name: string) => boolean;
}

/** Returns the question for the user, or the reason why no one can be asked. */
export function ask(
  gated: GatedAction,
  { reason, digest, approvalRequest: request }: NeedsApproval,
  asking: Asking,
  call: Call,
): InputRequiredResult | string {
  if (request !== undefined) return askToSign(request, digest, asking, call);

  if (!call.canAsk) return NO_ELICITATION;

  const message = questionFor(gated.action, gated.check, reason, asking.isCredential);
  if (message.length > MAX_QUESTION_CHARS) return TOO_LONG;

  return asking.approvals.ask({ message, digest, host: call.host }) ?? TOO_MANY;
}

/** Shows what the policy service has signed, because an approver approves exactly that text. */
function askToSign(
  request: string,
  digest: string,
  { approvals, approver, pages }: Asking,
  { host, canAsk, canOpen }: Call,
): InputRequiredResult | string {
  if (approver === undefined) return `${NO_APPROVER} ${SIGN}`;

  const claims = unverifiedRequest(request);
  if (claims === undefined) return `${UNREADABLE} ${SIGN}`;

  const text = requestText(claims);
  const asked = { digest, host, request };
  if (canOpen && pages !== undefined)
    return approvals.ask({ ...asked, message: text, pages }) ?? TOO_MANY;

  if (!canAsk) return `${CANNOT_SHOW} ${SIGN}`;

  const message = `Send this request?\n\n${text}`;
  if (message.length > MAX_QUESTION_CHARS) return `${TOO_LONG_TO_SIGN} ${SIGN}`;

  return approvals.ask({ ...asked, message }) ?? TOO_MANY;
}

/** Says what to do if no one gave an answer, although the host was asked. */
export const unanswered = (why: string, { approvalRequest }: NeedsApproval): string =>
  `The host got no answer from its user (${why}). ${approvalRequest === undefined ? INSTEAD : SIGN}`;

const SIGN =
  'Ask the user to have an approver run `gatehouse approve APPROVAL_REQUEST`, with the `approval_request` of this result. Then call the tool again with the same arguments, and with the signed approval in `approval`.';
const NO_APPROVER =
  'No one was asked, because an approver must sign the approval, and this MCP server has no `GATEHOUSE_APPROVER_TOKEN_FILE`.';
const UNREADABLE =
  'No one was asked, because this MCP server cannot read the approval request of the policy service.';
const CANNOT_SHOW =
  'No one was asked, because this MCP host cannot show an approval request to its user.';
const TOO_LONG_TO_SIGN = `No one was asked, because this MCP host opens no pages, and the request is too long for its question: it has at most ${MAX_QUESTION_CHARS} characters.`;
const INSTEAD =
  'Ask the user to carry out the action without this tool, or to have an operator either connect a host that supports elicitation, or allow such actions in the profile.';
const NO_ELICITATION = `No one was asked, because this MCP host cannot show an approval request to its user: it does not declare the capability \`elicitation\`. ${INSTEAD}`;
const TOO_MANY = `No one was asked, because ${MAX_QUESTIONS} other questions are waiting for the user. Call the tool again after the user has answered a waiting question, or after ${ANSWER_MS / 60_000} minutes.`;
const TOO_LONG = `No one was asked, because the request is too long to show: a question has at most ${MAX_QUESTION_CHARS} characters. Send a shorter request, or ask the user to review the request and send it without this tool.`;
