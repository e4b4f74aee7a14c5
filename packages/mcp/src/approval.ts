import { randomUUID } from 'node:crypto';
import { approvalDigest, type GatedAction } from '@gatehouse/client';
import {
  type InputRequiredResult,
  inputRequired,
  inputResponse,
} from '@modelcontextprotocol/server';
import type { Call } from './tools/tool.ts';

const KEY = 'approval';

/** How long a user may take. */
export const ANSWER_MS = 600_000;

/** Beyond it, the oldest question is forgotten, and would be asked again. */
const MAX_PENDING = 1_000;

interface Pending {
  readonly digest: string;
  readonly until: number;
}

/** What a call brings of the user's answer, if there is one. */
export interface Answer {
  readonly declined: boolean;
  approves(gated: GatedAction, reason: string): boolean;
}

/**
 * The questions that users have not answered yet. INVARIANT: an answer holds once, and for
 * exactly the action, facts and reason that were asked about.
 */
export class Approvals {
  readonly #pending = new Map<string, Pending>();

  /** Asks the user; the host calls again with the answer. */
  ask(message: string, gated: GatedAction, reason: string): InputRequiredResult {
    const id = randomUUID();
    const digest = approvalDigest(gated, reason);
    this.#pending.set(id, { digest, until: performance.now() + ANSWER_MS });
    const [oldest] = this.#pending.keys();
    if (this.#pending.size > MAX_PENDING && oldest !== undefined) this.#pending.delete(oldest);
    // An empty form: to accept it is the answer.
    const requestedSchema = { type: 'object' as const, properties: {} };
    const question = inputRequired.elicit({ message, requestedSchema });
    return inputRequired({ inputRequests: { [KEY]: question }, requestState: id });
  }

  take({ inputResponses, requestState }: Call['round']): Answer {
    const response = inputResponse(inputResponses, KEY);
    const id = requestState();
    const pending = typeof id === 'string' ? this.#pending.get(id) : undefined;
    if (response.kind !== 'elicit') return UNANSWERED;
    this.#pending.delete(String(id));
    if (response.action !== 'accept') return { ...UNANSWERED, declined: true };
    if (pending === undefined || performance.now() >= pending.until) return UNANSWERED;
    const { digest } = pending;
    return { declined: false, approves: (...asked) => approvalDigest(...asked) === digest };
  }
}

const UNANSWERED: Answer = { declined: false, approves: () => false };
