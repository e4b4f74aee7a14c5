import type { ModelMessage } from 'ai';

/**
 * Keys of the calls waiting for a person's approval. Each key allows one execution. Several
 * processes need a shared store. A store in Redis can use `SET` with `PX` for `add`, `DEL` for
 * `delete` and `EXISTS` for `has`.
 */
export interface Approvals {
  /** Adds a key, which the store must forget after `ttlMs` milliseconds. */
  add(key: string, ttlMs: number): unknown;
  /**
   * Deletes a key, and returns true if the key was present. INVARIANT: if several callers delete a
   * key at the same time, only one of them gets true.
   */
  delete(key: string): boolean | Promise<boolean>;
  has(key: string): boolean | Promise<boolean>;
}

const MAX_PENDING = 10_000;

/** Keeps up to 10,000 approvals in memory. At the limit, a new approval replaces the oldest one. */
export function approvalsInMemory(): Approvals {
  const endOf = new Map<string, number>();
  const has = (key: string) => Date.now() < (endOf.get(key) ?? 0);
  return {
    add: (key, ttlMs) => {
      const [oldest] = endOf.keys();
      if (endOf.size >= MAX_PENDING && oldest !== undefined) endOf.delete(oldest);
      endOf.set(key, Date.now() + ttlMs);
    },
    delete: (key) => has(key) && endOf.delete(key),
    has,
  };
}

/**
 * Status of a call according to the history:
 * - `new`: the model has just made the call.
 * - `approved`: the last message approves the call, and the call has no result yet.
 * - `invalid`: anything else, such as a call in the history that has neither an approval nor a
 *   result. If any id in the history is not a string, every call is invalid.
 *
 * The AI SDK treats any truthy `approved` as an approval, and compares ids as strings.
 * INVARIANT: a call that the AI SDK could treat as approved never has the status `new`.
 */
type ApprovalStatus = 'new' | 'approved' | 'invalid';

export function approvalStatus(id: string, history: readonly ModelMessage[]): ApprovalStatus {
  const parts = partsOf(history);
  if (![id, ...parts.flatMap(idsOf)].every((each) => typeof each === 'string')) return 'invalid';
  const called = parts.findLastIndex((part) => part.type === 'tool-call' && part.toolCallId === id);
  const isResult = (part: Part) => part.type === 'tool-result' && part.toolCallId === id;
  const lacksResult = called !== -1 && !parts.slice(called).some(isResult);
  const answers = answersTo(id, parts, partsOf(history.slice(-1)));
  if (!answers.some(Boolean)) return lacksResult ? 'invalid' : 'new';
  return lacksResult && answers.every((approved) => approved === true) ? 'approved' : 'invalid';
}

/**
 * Lists the ids of calls that were declined after the user's last message. Calls declined before
 * the user's last message are left out, because the user may have changed their mind since then.
 */
export function declinedCalls(history: readonly ModelMessage[]): string[] {
  const turn = partsOf(history.slice(history.findLastIndex(({ role }) => role === 'user') + 1));
  const asked = turn.filter((part) => part.type === 'tool-approval-request');
  const ids = new Set(asked.map(({ toolCallId }) => toolCallId));
  return [...ids].filter((id) => answersTo(id, turn, turn).includes(false));
}

type Part = Exclude<ModelMessage['content'], string>[number];

const partsOf = (messages: readonly ModelMessage[]) =>
  messages.flatMap<Part>(({ content }) => (typeof content === 'string' ? [] : content));

/** Lists the ids in a message part. A client can send ids of any type, not only strings. */
function idsOf(part: Part): unknown[] {
  if (part.type === 'tool-call' || part.type === 'tool-result') return [part.toolCallId];
  if (part.type === 'tool-approval-request') return [part.toolCallId, part.approvalId];
  return part.type === 'tool-approval-response' ? [part.approvalId] : [];
}

/** Lists the answers to a call's approval requests. A client can send any value as an answer. */
function answersTo(id: string, history: readonly Part[], answers: readonly Part[]): unknown[] {
  const asked = history.filter((part) => part.type === 'tool-approval-request');
  const ids = asked.filter(({ toolCallId }) => toolCallId === id).map((part) => part.approvalId);
  const given = answers.filter((part) => part.type === 'tool-approval-response');
  return given.filter(({ approvalId }) => ids.includes(approvalId)).map(({ approved }) => approved);
}
