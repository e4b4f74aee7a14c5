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

/** Maximum number of unanswered questions. At the limit, a new question replaces the oldest one. */
const MAX_PENDING = 1_000;

/** Limit on unanswered approval questions per host, because a person can review only a few. */
export const MAX_QUESTIONS = 5;

/** Time between progress messages. Many MCP hosts cancel a call if no message arrives for 60 s. */
const PROGRESS_MS = 15_000;

type Asking = Required<Pick<Call, 'elicit' | 'progress'>>;

export interface Answer {
  readonly declined: boolean;
  /** Digest of what the user was asked about. Absent if no question was waiting for the answer. */
  readonly digest?: string | undefined;
}

/**
 * Questions that users have not answered yet.
 * INVARIANT: an answer can be used once, and only for the action, facts and reason the user saw.
 */
export class Approvals {
  readonly #pending = new LRUCache<string, { readonly digest: string; readonly host: object }>({
    max: MAX_PENDING,
    ttl: ANSWER_MS,
    ttlResolution: 0,
  });

  /** Returns a question, or undefined if the host already has `MAX_QUESTIONS` open questions. */
  ask(message: string, digest: string, host: object): InputRequiredResult | undefined {
    const waiting = [...this.#pending.values()].filter((question) => question.host === host);
    if (waiting.length >= MAX_QUESTIONS) return undefined;
    const id = randomUUID();
    this.#pending.set(id, { digest, host });
    // The form has no fields, because the user answers by accepting or declining the form.
    const requestedSchema = { type: 'object' as const, properties: {} };
    const question = inputRequired.elicit({ message, requestedSchema });
    return inputRequired({ inputRequests: { [KEY]: question }, requestState: id });
  }

  /** Asks the user and waits for the answer. @throws if the host gets no answer from the user. */
  async waitFor(asked: InputRequiredResult, { elicit, progress }: Asking): Promise<Answer> {
    const { inputRequests = {}, requestState: id = '' } = asked;
    const timer = setInterval(() => progress('waiting for the user'), PROGRESS_MS).unref();
    try {
      const inputResponses = { [KEY]: await elicit({ ...inputRequests[KEY]?.params }, ANSWER_MS) };
      return this.readAnswer({ inputResponses, requestState: <T>() => id as T });
    } finally {
      clearInterval(timer);
      this.#pending.delete(id);
    }
  }

  readAnswer({ inputResponses, requestState }: Call['round']): Answer {
    const response = inputResponse(inputResponses, KEY);
    if (response.kind !== 'elicit') return { declined: false };
    const id = String(requestState());
    const question = this.#pending.get(id);
    this.#pending.delete(id);
    return { declined: response.action !== 'accept', digest: question?.digest };
  }
}
