import type { Upstream } from '@gatehouse/testing';
import { freePort, reply, startUpstream } from '@gatehouse/testing';

const MAX_DELAY_MS = 30;

/** What happens to the request of a key: a tenth is refused, and a tenth is cut off. */
type Fate = 'answered' | 'refused' | 'cut';

const fateOf = (key: string): Fate =>
  (({ 3: 'refused', 7: 'cut' }) as const)[Number(key.at(-1))] ?? 'answered';

interface Answer {
  /** Code of a problem, error of a failure, or `success`. */
  readonly kind: string;
  /** True if the answer says that nothing was sent. */
  readonly isUnsent: boolean;
}

/** True if an answer with an outcome fits the fate and the number of effects of its key. */
const FITS: Readonly<Record<Fate, (answer: Answer, effects: number) => boolean>> = {
  answered: ({ kind }, effects) => kind === 'success' && effects === 1,
  refused: ({ kind, isUnsent }, effects) => kind === 'ConnectFailure' && isUnsent && effects === 0,
  cut: ({ kind, isUnsent }, effects) => kind === 'ConnectFailure' && !isUnsent && effects === 1,
};

/** Counts the effects of keys at an upstream, and what callers are told about them. */
export class Ledger {
  readonly #effects = new Map<string, number>();
  readonly #told = new Map<string, string>();
  /** Requests that were sent for a key, and those of them that have no answer. */
  readonly #sent = new Map<string, number>();
  readonly #open = new Map<string, number>();
  readonly #outcomesAreKept: boolean;
  /** Numbers of answers by kind. */
  readonly answers: Record<string, number> = {};
  readonly violations: string[] = [];
  #closed = '';

  /** Without `outcomesAreKept`, an outcome may become unknown because it could not be stored. */
  constructor(outcomesAreKept: boolean) {
    this.#outcomesAreKept = outcomesAreKept;
  }

  /** Starts an upstream that performs an effect, and then takes a random time to answer. */
  async startUpstream(): Promise<Upstream> {
    this.#closed = `http://127.0.0.1:${await freePort()}`;
    return startUpstream(({ url }, response) => {
      const key = url.slice(1);
      add(this.#effects, key, 1);
      if (this.effects(key) > 1) this.violations.push(`${key}: ${this.effects(key)} effects`);
      if (fateOf(key) === 'cut') response.socket?.destroy();
      else setTimeout(() => reply(response, {}), Math.random() * MAX_DELAY_MS);
    });
  }

  effects(key: string): number {
    return this.#effects.get(key) ?? 0;
  }

  /** Sends the action of a key. Returns true if the answer is final. */
  async ask(executor: string, upstream: string, key: string): Promise<boolean> {
    const fate = fateOf(key);
    const url = `${fate === 'refused' ? this.#closed : upstream}/${key}`;
    const answer = await this.#answerTo(key, () => answerOf(executor, url, key));
    const { kind } = answer;
    this.answers[kind] = (this.answers[kind] ?? 0) + 1;
    if (NOT_FINAL.has(kind)) return false;

    const before = this.#told.get(key);
    this.#told.set(key, kind);
    const isWrong = kind !== 'OutcomeUnknown' && !FITS[fate](answer, this.effects(key));
    // A key whose request was refused is free again, so it is executed again.
    const mayChange = fate === 'refused' || !this.#outcomesAreKept;
    const isAllowed = before !== 'OutcomeUnknown' && mayChange;
    const isChanged = before !== undefined && before !== kind && !isAllowed;
    if (isWrong || isChanged)
      this.violations.push(`${key}: ${before}, then ${kind} with ${this.effects(key)} effects`);
    return true;
  }

  /** Makes a request, and notes if it had an effect although its answer says the opposite. */
  async #answerTo(key: string, send: () => Promise<Answer>): Promise<Answer> {
    const isFirst = (this.#open.get(key) ?? 0) === 0;
    const before = this.effects(key);
    add(this.#open, key, 1);
    const turn = add(this.#sent, key, 1);
    const answer = await send();
    if (answer.kind !== 'no answer') add(this.#open, key, -1);
    const isAlone = isFirst && this.#sent.get(key) === turn;
    if (isAlone && answer.isUnsent && this.effects(key) > before)
      this.violations.push(`${key}: ${answer.kind} says that nothing was sent`);
    return answer;
  }
}

function add(counts: Map<string, number>, key: string, more: number): number {
  const count = (counts.get(key) ?? 0) + more;
  counts.set(key, count);
  return count;
}

/** Answers that say nothing about the effect of a key, because they are about one request. */
const NOT_FINAL: ReadonlySet<string> = new Set(['no answer', 'KeyInProgress', 'StoreUnavailable']);

/** Sends the action of a key. Never rejects, because a killed executor gives no answer. */
export async function answerOf(executor: string, url: string, key: string): Promise<Answer> {
  try {
    const response = await fetch(`${executor}/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ method: 'POST', url, body: { key } }),
    });
    const { code, detail, error, message, outcome } = Object(await response.json());
    const isUnsent = /Nothing was sent(?! again)/.test(detail ?? message);
    return { kind: code ?? error ?? outcome, isUnsent };
  } catch {
    return { kind: 'no answer', isUnsent: false };
  }
}
