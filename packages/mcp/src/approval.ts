import { createHash, randomUUID } from 'node:crypto';
import {
  type InputRequiredResult,
  inputRequired,
  inputResponse,
} from '@modelcontextprotocol/server';
import type { Call } from './tools/tool.ts';

/** Whether the user approved; `none`: nobody asked yet, or for another action. */
export type Answer = 'approved' | 'declined' | 'none';

const KEY = 'approval';

/** How long a user may take. */
export const ANSWER_MS = 600_000;

/** Beyond it, the oldest question is forgotten, and would be asked again. */
const MAX_PENDING = 1_000;

interface Pending {
  readonly action: string;
  readonly until: number;
}

/**
 * The questions that users have not answered yet. INVARIANT: an answer holds once, and for
 * exactly the action that was asked about.
 */
export class Approvals {
  readonly #pending = new Map<string, Pending>();

  /** Asks the user about an action; the host calls again with the answer. */
  ask(action: unknown, message: string): InputRequiredResult {
    const id = randomUUID();
    this.#pending.set(id, { action: digestOf(action), until: performance.now() + ANSWER_MS });
    const [oldest] = this.#pending.keys();
    if (this.#pending.size > MAX_PENDING && oldest !== undefined) this.#pending.delete(oldest);
    // An empty form: to accept it is the answer.
    const requestedSchema = { type: 'object' as const, properties: {} };
    const question = inputRequired.elicit({ message, requestedSchema });
    return inputRequired({ inputRequests: { [KEY]: question }, requestState: id });
  }

  /** What the user said about this action, if this call brings it. */
  answer(action: unknown, { inputResponses, requestState }: Call['round']): Answer {
    const response = inputResponse(inputResponses, KEY);
    const id = requestState();
    if (response.kind !== 'elicit' || typeof id !== 'string') return 'none';
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (response.action !== 'accept') return 'declined';
    const holds = pending !== undefined && performance.now() < pending.until;
    return holds && pending.action === digestOf(action) ? 'approved' : 'none';
  }
}

function digestOf(action: unknown): string {
  return createHash('sha256').update(JSON.stringify(action)).digest('hex');
}
