import { randomUUID } from 'node:crypto';
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

/** So many may wait for the user of one host: nobody reads more. */
export const MAX_QUESTIONS = 5;

/** Hosts commonly give up a call that is silent for 60 s. */
const PROGRESS_MS = 15_000;

interface Pending {
  readonly digest: string;
  readonly host: object;
  readonly until: number;
}

/** What matters of a call that asks. */
export type Asking = Pick<Call, 'host' | 'signal' | 'staysOpen' | 'progress'>;

/** What a call brings of the user's answer, if there is one. */
export interface Answer {
  readonly declined: boolean;
  /** `digest` is what the gate says of an action that needs approval. */
  approves(digest: string): boolean;
}

/**
 * The questions that users have not answered yet. INVARIANT: an answer holds once, and for
 * exactly the action, facts and reason that were asked about.
 */
export class Approvals {
  readonly #pending = new Map<string, Pending>();

  /**
   * Asks the user; the host calls again with the answer. Undefined: too many questions wait for
   * this user already.
   */
  ask(message: string, digest: string, call: Asking): InputRequiredResult | undefined {
    const { host, signal } = call;
    const now = performance.now();
    const waiting = [...this.#pending.values()].filter((each) => each.host === host);
    if (waiting.filter(({ until }) => now < until).length >= MAX_QUESTIONS) return undefined;
    const id = randomUUID();
    this.#pending.set(id, { digest, host, until: now + ANSWER_MS });
    const [oldest] = this.#pending.keys();
    if (this.#pending.size > MAX_PENDING && oldest !== undefined) this.#pending.delete(oldest);
    if (call.staysOpen) {
      signal.addEventListener('abort', () => this.#pending.delete(id), { once: true });
      this.#tellWhileWaiting(id, call);
    }
    // An empty form: to accept it is the answer.
    const requestedSchema = { type: 'object' as const, properties: {} };
    const question = inputRequired.elicit({ message, requestedSchema });
    return inputRequired({ inputRequests: { [KEY]: question }, requestState: id });
  }

  #tellWhileWaiting(id: string, { progress }: Asking): void {
    const timer = setInterval(() => {
      const { until = 0 } = this.#pending.get(id) ?? {};
      if (performance.now() < until) progress('waiting for the user');
      else clearInterval(timer);
    }, PROGRESS_MS);
    timer.unref();
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
    return { declined: false, approves: (asked) => asked === digest };
  }
}

const UNANSWERED: Answer = { declined: false, approves: () => false };
