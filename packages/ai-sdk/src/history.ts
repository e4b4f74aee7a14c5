import type { ModelMessage } from 'ai';

/**
 * What the history says about a call:
 * - `new`: the model has just made it.
 * - `approved`: it waits for an answer, and the last message approves exactly this call.
 * - `invalid`: it is in the history, and anything but that is true.
 *
 * The SDK takes any truthy `approved`, and compares ids as strings. INVARIANT: what the SDK could
 * take for an approval is `approved` or `invalid`, never `new`.
 */
export type Standing = 'new' | 'approved' | 'invalid';

export function standingOf(toolCallId: string, history: readonly ModelMessage[]): Standing {
  const answers = answersTo(toolCallId, history, history.slice(-1));
  const pending = isPending(toolCallId, history);
  if (!answers.some(({ approved }) => approved)) return pending ? 'invalid' : 'new';
  const approved = answers.every((answer) => answer.isExact && answer.approved === true);
  return pending && approved ? 'approved' : 'invalid';
}

/** A model that asks more often in one turn has long been told no. */
const MAX_DECLINED = 20;

/** Calls declined since a user last wrote: who writes again may have changed their mind. */
export function declinedCalls(history: readonly ModelMessage[]): string[] {
  const turn = history.slice(history.findLastIndex(({ role }) => role === 'user') + 1);
  const ids = requestsIn(turn).map(({ toolCallId }) => toolCallId);
  const declined = ids.filter((id) =>
    answersTo(id, turn, turn).some((answer) => answer.isExact && answer.approved === false),
  );
  return declined.slice(-MAX_DECLINED);
}

interface PersonsAnswer {
  /** As it was sent: of any type. */
  readonly approved: unknown;
  /** Whether call, request and answer name each other by the same strings. */
  readonly isExact: boolean;
}

/** The answers in some messages that the SDK could take for answers to this call. */
function answersTo(
  toolCallId: string,
  history: readonly ModelMessage[],
  messages: readonly ModelMessage[],
): PersonsAnswer[] {
  const requests = requestsIn(history).filter((request) => isLike(request.toolCallId, toolCallId));
  return toolParts(messages)
    .filter((part) => part.type === 'tool-approval-response')
    .flatMap(({ approvalId, approved }) => {
      const meant = requests.filter((request) => isLike(request.approvalId, approvalId));
      if (meant.length === 0) return [];
      const isExact = meant.every(
        (request) =>
          isSame(request.approvalId, approvalId) && isSame(request.toolCallId, toolCallId),
      );
      return [{ approved, isExact }];
    });
}

/** Whether the latest call of this id has no result yet. */
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

const requestsIn = (messages: readonly ModelMessage[]) =>
  assistantParts(messages).filter((part) => part.type === 'tool-approval-request');

const assistantParts = (messages: readonly ModelMessage[]) =>
  messages.flatMap(({ role, content }) =>
    role === 'assistant' && typeof content !== 'string' ? content : [],
  );

const toolParts = (messages: readonly ModelMessage[]) =>
  messages.flatMap(({ role, content }) => (role === 'tool' ? content : []));

/** As the SDK compares ids, which come from outside and may be of any type. */
const isLike = (a: unknown, b: unknown): boolean => String(a) === String(b);

const isSame = (a: unknown, b: unknown): boolean => typeof a === 'string' && a === b;
