import { randomUUID } from 'node:crypto';
import {
  type InputRequiredResult,
  inputRequired,
  inputResponse,
} from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';
import type { Call } from './tools/tool.ts';

const KEY = 'approval';

/** How long a user may take. */
export const ANSWER_MS = 600_000;

/** Beyond them, the oldest question is forgotten, and would be asked again. */
const MAX_PENDING = 1_000;

/** Questions that may wait for the user of one host; a person reads no more. */
export const MAX_QUESTIONS = 5;

/** Hosts commonly give up a call that is silent for 60 s. */
const PROGRESS_MS = 15_000;

/** The parts of a call that asking needs. */
export type Asking = Pick<Call, 'host' | 'signal' | 'staysOpen' | 'progress'>;

/** The user's answer, as far as a call brings one. */
export interface UserAnswer {
  readonly declined: boolean;
  /** `digest` is what the gate says of an action that needs approval. */
  approves(digest: string): boolean;
}

/**
 * The questions that users have not answered yet. INVARIANT: an answer holds once, and for
 * exactly the action, facts and reason that were asked about.
 */
export class Approvals {
  readonly #pending = new LRUCache<string, { readonly digest: string; readonly host: object }>({
    max: MAX_PENDING,
    ttl: ANSWER_MS,
    ttlResolution: 0,
  });

  /**
   * Asks the user; the host calls again with the answer. Undefined: too many questions wait for
   * this user already.
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
    // An empty form, because to accept it is the answer.
    const requestedSchema = { type: 'object' as const, properties: {} };
    const question = inputRequired.elicit({ message, requestedSchema });
    return inputRequired({ inputRequests: { [KEY]: question }, requestState: id });
  }

  take({ inputResponses, requestState }: Call['round']): UserAnswer {
    const response = inputResponse(inputResponses, KEY);
    if (response.kind !== 'elicit') return UNANSWERED;
    const id = String(requestState());
    const question = this.#pending.get(id);
    this.#pending.delete(id);
    if (response.action !== 'accept') return { ...UNANSWERED, declined: true };
    return { declined: false, approves: (digest) => digest === question?.digest };
  }
}

const UNANSWERED: UserAnswer = { declined: false, approves: () => false };
