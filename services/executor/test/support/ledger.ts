import type { Upstream } from '@gatehouse/testing';
import { reply, startUpstream } from '@gatehouse/testing';

const MAX_DELAY_MS = 30;

/** Counts the effects of keys at an upstream, and what callers are told about them. */
export class Ledger {
  readonly #effects = new Map<string, number>();
  readonly #told = new Map<string, string>();
  readonly #outcomesAreKept: boolean;
  /** Numbers of answers by kind. */
  readonly answers: Record<string, number> = {};
  readonly violations: string[] = [];

  /** Without `outcomesAreKept`, an outcome may become unknown because it could not be stored. */
  constructor(outcomesAreKept: boolean) {
    this.#outcomesAreKept = outcomesAreKept;
  }

  /** Starts an upstream that performs an effect, and then takes a random time to answer. */
  startUpstream(): Promise<Upstream> {
    return startUpstream(({ url }, response) => {
      const key = url.slice(1);
      this.#effects.set(key, this.effects(key) + 1);
      if (this.effects(key) > 1) this.violations.push(`${key}: ${this.effects(key)} effects`);
      setTimeout(() => reply(response, {}), Math.random() * MAX_DELAY_MS);
    });
  }

  effects(key: string): number {
    return this.#effects.get(key) ?? 0;
  }

  /** Sends the action of a key. Returns true if the answer is final. */
  async ask(executor: string, upstream: string, key: string): Promise<boolean> {
    const answer = await answerOf(executor, `${upstream}/${key}`, key);
    this.answers[answer] = (this.answers[answer] ?? 0) + 1;
    if (NOT_FINAL.has(answer)) return false;

    const before = this.#told.get(key);
    this.#told.set(key, answer);
    const isKnown = answer === 'success' || answer === 'OutcomeUnknown';
    const isWrong = !isKnown || (answer === 'success' && this.effects(key) !== 1);
    const isAllowed = before === 'success' && !this.#outcomesAreKept;
    const isChanged = before !== undefined && before !== answer && !isAllowed;
    if (isWrong || isChanged)
      this.violations.push(`${key}: ${before}, then ${answer} with ${this.effects(key)} effects`);
    return true;
  }
}

/** Answers that say nothing about the effect of a key, because they are about one request. */
const NOT_FINAL: ReadonlySet<string> = new Set(['no answer', 'KeyInProgress', 'StoreUnavailable']);

/** Returns the code of a problem, the error of a failure, or `success`. */
async function answerOf(executor: string, url: string, key: string): Promise<string> {
  try {
    const response = await fetch(`${executor}/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ method: 'POST', url, body: { key } }),
    });
    const { code, error, outcome } = Object(await response.json());
    return code ?? error ?? outcome;
  } catch {
    return 'no answer';
  }
}
