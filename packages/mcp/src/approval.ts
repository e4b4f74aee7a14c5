import { randomUUID } from 'node:crypto';
import {
  type InputRequiredResult,
  inputRequired,
  inputResponse,
} from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';
import type { Call } from './tools/tool.ts';

const KEY = 'approval';

export const ANSWER_MS = 600_000;

/**
 * Maximum number of open questions. Beyond this number, the oldest question is dropped, and the
 * user may be asked that question again.
 */
const MAX_PENDING = 1_000;

/** Maximum number of open questions per host, because a person cannot review more. */
export const MAX_QUESTIONS = 5;

/** Interval of progress messages. Hosts commonly cancel a call after 60 s without progress. */
const PROGRESS_MS = 15_000;

export type Asking = Pick<Call, 'host' | 'signal' | 'staysOpen' | 'progress'>;

/** The user's answer. Without an answer, an action is neither declined nor approved. */
interface UserAnswer {
  readonly declined: boolean;
  /** Digest, given by the gate, of the action that the user approved. */
  readonly approved?: string | undefined;
}

/**
 * Questions that users have not answered yet.
 * INVARIANT: an answer is valid once, and only for the action, facts and reason in the question.
 */
export class Approvals {
  readonly #pending = new LRUCache<string, { readonly digest: string; readonly host: object }>({
    max: MAX_PENDING,
    ttl: ANSWER_MS,
    ttlResolution: 0,
  });

  /**
   * Asks the user. The host then calls the tool again with the answer. Returns undefined if too
   * many questions are already waiting for this user.
   */
  ask(message: string, digest: string, call: Asking): InputRequiredResult | undefined {
    const { host, signal } = call;
    const waiting = [...this.#pending.values()].filter((question) => question.host === host);
    if (waiting.length >= MAX_QUESTIONS) return undefined;
    const id = randomUUID();
    this.#pending.set(id, { digest, host });
    if (call.staysOpen) {
      signal.addEventListener('abort', () => this.#pending.delete(id), { once: true });
      const timer = setInterval(() => {
        if (this.#pending.has(id)) call.progress('waiting for the user');
        else clearInterval(timer);
      }, PROGRESS_MS).unref();
    }
    // The form is empty, because accepting the form is the answer.
    const requestedSchema = { type: 'object' as const, properties: {} };
    const question = inputRequired.elicit({ message, requestedSchema });
    return inputRequired({ inputRequests: { [KEY]: question }, requestState: id });
  }

  readAnswer({ inputResponses, requestState }: Call['round']): UserAnswer {
    const response = inputResponse(inputResponses, KEY);
    if (response.kind !== 'elicit') return { declined: false };
    const id = String(requestState());
    const question = this.#pending.get(id);
    this.#pending.delete(id);
    if (response.action !== 'accept') return { declined: true };
    return { declined: false, approved: question?.digest };
  }
}
