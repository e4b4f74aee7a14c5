import type { ModelMessage } from 'ai';

/**
 * Whether the SDK asks again because the history has a yes to this call. Whoever sent it may
 * have made up the call, too: it does not become one that waits for approval.
 */
export function isApproved(toolCallId: string, history: readonly ModelMessage[]): boolean {
  return answeredCalls(history, history.slice(-1), true).includes(toolCallId);
}

/** A model that asks more often in one turn has long been told no. */
const MAX_DECLINED = 20;

/** Calls declined since a user last wrote: who writes again may have changed their mind. */
export function declinedCalls(history: readonly ModelMessage[]): string[] {
  const turn = history.slice(history.findLastIndex(({ role }) => role === 'user') + 1);
  return answeredCalls(turn, turn, false).slice(-MAX_DECLINED);
}

/** Calls in the history that a person answered so in one of the messages. */
function answeredCalls(
  history: readonly ModelMessage[],
  messages: readonly ModelMessage[],
  approved: boolean,
): string[] {
  const answers = messages.flatMap(({ role, content }) => (role === 'tool' ? content : []));
  const ids = answers.flatMap((part) =>
    part.type === 'tool-approval-response' && part.approved === approved ? [part.approvalId] : [],
  );
  const answered = new Set(ids);
  return history
    .flatMap(({ role, content }) =>
      role === 'assistant' && typeof content !== 'string' ? content : [],
    )
    .filter((part) => part.type === 'tool-approval-request')
    .filter(({ approvalId }) => answered.has(approvalId))
    .map(({ toolCallId }) => toolCallId);
}
