import { success } from '@gatehouse/contracts';
import type { Clock } from '../clock.ts';
import { type Claims, type EffectStore, StoreUnavailable, type Use } from './store.ts';

/** Remembers used tokens and approvals in this process alone. Has no idempotency keys. */
export class MemoryStore implements EffectStore {
  readonly #clock: Clock;
  readonly #tokens = new Uses();
  readonly #approvals = new Uses();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  readonly find: EffectStore['find'] = () => Promise.reject(new StoreUnavailable());

  readonly claim: EffectStore['claim'] = async ({ token, approval }: Claims) => {
    const now = this.#clock.date().getTime();
    if (this.#tokens.has(token, now)) return { ok: false, reason: { state: 'token_used' } };

    if (this.#approvals.has(approval, now))
      return { ok: false, reason: { state: 'approval_used' } };

    this.#tokens.add(token, now);
    this.#approvals.add(approval, now);
    return success({
      isHeld: () => true,
      settle: async () => {},
      release: async () => this.#approvals.delete(approval),
      abandon: async () => {},
    });
  };
}

/** If so many uses are remembered, nothing more is executed until the oldest expires. */
const MAX_USES = 1_000_000;

class Uses {
  /** Times until which uses are remembered, in the order of the uses. */
  readonly #until = new Map<string, number>();

  has(use: Use | undefined, now: number): boolean {
    return use !== undefined && (this.#until.get(use.id) ?? Number.NEGATIVE_INFINITY) >= now;
  }

  /** @throws {StoreUnavailable} if there are too many uses */
  add(use: Use | undefined, now: number): void {
    if (use === undefined) return;
    for (const [id, until] of this.#until) {
      if (until >= now) break;
      this.#until.delete(id);
    }
    if (this.#until.size >= MAX_USES) throw new StoreUnavailable();
    this.#until.set(use.id, use.until);
  }

  delete(use: Use | undefined): void {
    if (use !== undefined) this.#until.delete(use.id);
  }
}
