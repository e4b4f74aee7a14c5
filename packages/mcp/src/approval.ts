import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type InputRequiredResult,
  inputRequired,
  inputResponse,
} from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';
import type { ApprovalPage, ApprovalPages } from './approval-pages.ts';
import type { Call } from './tools/tool.ts';

const KEY = 'approval';

export const ANSWER_MS = 600_000;

/** Maximum number of unanswered questions. At the limit, a new question replaces the oldest one. */
const MAX_PENDING = 1_000;

/** Limit on unanswered approval questions per host, because a person can review only a few. */
export const MAX_QUESTIONS = 5;

/** Time between progress messages. Many MCP hosts cancel a call if no message arrives for 60 s. */
const PROGRESS_MS = 15_000;

/** Time for which one call waits for a choice on a page. MCP clients allow 60 s by default. */
const ROUND_MS = 45_000;

type Round = Pick<Call, 'round' | 'signal'>;
type Waiting = Required<Pick<Call, 'elicit' | 'progress' | 'completed' | 'signal'>>;

interface Subject {
  /** Digest of the action, facts and reason that the user is asked about. */
  readonly digest: string;
  readonly host: object;
  /** Signed text that the user is shown, if an approver must sign the approval. */
  readonly request?: string | undefined;
}

export interface Asked extends Subject {
  readonly message: string;
  /** Shows the message on a page, instead of in the host. */
  readonly pages?: ApprovalPages;
}

interface Pending extends Subject {
  readonly page: ApprovalPage | undefined;
}

/** Answer with the subject of its question, if the question was waiting for the answer. */
export interface Answer {
  readonly declined: boolean;
  readonly digest?: string | undefined;
  readonly request?: string | undefined;
  /** True if the user agreed to open the page, but made no choice in time. */
  readonly undecided?: true;
  /** Result that lets the host call again, because the user has not chosen yet. */
  readonly wait?: InputRequiredResult;
}

/**
 * Questions that users have not answered yet.
 * INVARIANT: an answer can be used once, and only for the action, facts and reason the user saw.
 */
export class Approvals {
  readonly #pending = new LRUCache<string, Pending>({
    max: MAX_PENDING,
    ttl: ANSWER_MS,
    ttlResolution: 0,
    // A page must disappear in time, even if no one looks for its question.
    ttlAutopurge: true,
    dispose: ({ page }) => page?.close(),
  });

  /** Returns a question, or undefined if the host already has `MAX_QUESTIONS` open questions. */
  ask({ message, pages, ...subject }: Asked): InputRequiredResult | undefined {
    const waiting = [...this.#pending.values()].filter(({ host }) => host === subject.host);
    if (waiting.length >= MAX_QUESTIONS) return undefined;

    const id = randomUUID();
    const page = pages?.open(message);
    this.#pending.set(id, { ...subject, page });
    // The form has no fields, because the user answers by accepting or declining the form.
    const requestedSchema = { type: 'object' as const, properties: {} };
    const question =
      page === undefined
        ? inputRequired.elicit({ message, requestedSchema })
        : inputRequired.elicitUrl({ message: OPEN, url: page.url });
    return inputRequired({ inputRequests: { [KEY]: question }, requestState: id });
  }

  /** Asks the user and waits for the answer. @throws if the host gets no answer from the user. */
  async waitFor(asked: InputRequiredResult, { elicit, ...call }: Waiting): Promise<Answer> {
    const { inputRequests = {}, requestState: id = '' } = asked;
    const timer = setInterval(() => call.progress('waiting for the user'), PROGRESS_MS).unref();
    const page = this.#pending.get(id)?.page;
    // Tell the host at once, because the host may wait for this before it answers.
    void page?.choice.then((choice) => choice && call.completed(id));
    try {
      const params = { ...inputRequests[KEY]?.params, ...(page && { elicitationId: id }) };
      const inputResponses = { [KEY]: await elicit(params, ANSWER_MS) };
      const round = { inputResponses, requestState: <T>() => id as T };
      return await this.readAnswer({ round, signal: call.signal }, ANSWER_MS);
    } finally {
      clearInterval(timer);
      this.#pending.delete(id);
    }
  }

  /**
   * Returns the user's answer. To open a page is not an answer: the choice on the page is, for
   * which this waits up to `limitMs`.
   */
  async readAnswer({ round, signal }: Round, limitMs = ROUND_MS): Promise<Answer> {
    const response = inputResponse(round.inputResponses, KEY);
    const declined = response.kind === 'elicit' && response.action !== 'accept';
    const id = String(round.requestState());
    const pending = this.#pending.get(id);
    if (!declined && pending?.page !== undefined) {
      const late = delay(limitMs, 'late', { signal, ref: false }).catch(() => undefined);
      const choice = await Promise.race([pending.page.choice, late]);
      if (choice === 'late') return { declined, wait: inputRequired({ requestState: id }) };

      // Of several calls that wait for the same choice, only one may use it.
      const isFirst = this.#pending.delete(id);
      if (choice === undefined || !isFirst) return { declined, undecided: true };

      return { declined: choice === 'refuse', ...subjectOf(pending) };
    }

    if (response.kind !== 'elicit') return { declined };

    this.#pending.delete(id);
    return { declined, ...subjectOf(pending) };
  }
}

const subjectOf = ({ digest, request }: Partial<Pending> = {}) => ({ digest, request });

const OPEN =
  'A person must approve a request that an agent wants to send. The page shows the whole request, and asks for your decision.';
