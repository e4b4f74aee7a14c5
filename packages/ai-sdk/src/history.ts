import type { ModelMessage } from 'ai';

/**
 * Status of a call according to the history:
 * - `new`: the model has just made the call.
 * - `approved`: the call has no result yet, and the last message approves exactly this call.
 * - `invalid`: anything else, such as a pending call without a valid approval.
 *
 * The SDK accepts any truthy value of `approved`, and compares ids as strings.
 * INVARIANT: a call that the SDK could consider approved is `approved` or `invalid`, never `new`.
 */
type ApprovalStatus = 'new' | 'approved' | 'invalid';

export function approvalStatus(id: string, history: readonly ModelMessage[]): ApprovalStatus {
  const answers = answersTo(id, history, history.slice(-1));
  const pending = isPending(id, history);
  if (!answers.some(({ approved }) => approved)) return pending ? 'invalid' : 'new';
  const approved = answers.every((answer) => answer.isExact && answer.approved === true);
  return pending && approved ? 'approved' : 'invalid';
}

/** Maximum number of declined calls with which a new call is compared. A turn rarely has more. */
const MAX_DECLINED = 20;

/**
 * Lists the calls declined since the user last wrote. An older answer may have been given under
 * other conditions.
 */
export function declinedCalls(history: readonly ModelMessage[]): string[] {
  const turn = history.slice(history.findLastIndex(({ role }) => role === 'user') + 1);
  const ids = approvalRequestsIn(turn).map(({ toolCallId }) => toolCallId);
  const declined = ids.filter((id) =>
    answersTo(id, turn, turn).some((answer) => answer.isExact && answer.approved === false),
  );
  return declined.slice(-MAX_DECLINED);
}

interface PersonsAnswer {
  /** Value as the client sent it, which was not validated and may have any type. */
  readonly approved: unknown;
  /** True if call, request and answer refer to each other by identical strings. */
  readonly isExact: boolean;
}

/** Lists every answer in `messages` that the SDK could match to this call. */
function answersTo(
  toolCallId: string,
  history: readonly ModelMessage[],
  messages: readonly ModelMessage[],
): PersonsAnswer[] {
  const requests = approvalRequestsIn(history).filter((request) =>
    isLike(request.toolCallId, toolCallId),
  );
  return toolParts(messages)
    .filter((part) => part.type === 'tool-approval-response')
    .flatMap(({ approvalId, approved }) => {
      const matching = requests.filter((request) => isLike(request.approvalId, approvalId));
      if (matching.length === 0) return [];
      const isExact = matching.every(
        (request) =>
          isSame(request.approvalId, approvalId) && isSame(request.toolCallId, toolCallId),
      );
      return [{ approved, isExact }];
    });
}

/** True if the latest call with this id has no result yet. */
function isPending(toolCallId: string, history: readonly ModelMessage[]): boolean {
  const called = history.findLastIndex((message) =>
    assistantParts([message]).some(
      (part) => part.type === 'tool-call' && isLike(part.toolCallId, toolCallId),
    ),
  );
  if (called === -1) return false;
  return !toolParts(history.slice(called)).some(
    (part) => part.type === 'tool-result' && isLike(part.toolCallId, toolCallId),
  );
}

const approvalRequestsIn = (messages: readonly ModelMessage[]) =>
  assistantParts(messages).filter((part) => part.type === 'tool-approval-request');

const assistantParts = (messages: readonly ModelMessage[]) =>
  messages.flatMap(({ role, content }) =>
    role === 'assistant' && typeof content !== 'string' ? content : [],
  );

const toolParts = (messages: readonly ModelMessage[]) =>
  messages.flatMap(({ role, content }) => (role === 'tool' ? content : []));

/** Compares ids in the same way as the SDK. Ids come from outside and may have any type. */
const isLike = (a: unknown, b: unknown): boolean => String(a) === String(b);

const isSame = (a: unknown, b: unknown): boolean => typeof a === 'string' && a === b;
