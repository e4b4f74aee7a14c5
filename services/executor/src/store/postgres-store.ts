import { randomUUID } from 'node:crypto';
import { success } from '@gatehouse/contracts';
import {
  type ClaimRefusal,
  type Claims,
  type EffectKey,
  type KnownKey,
  StoreUnavailable,
} from '@gatehouse/http-executor';
import { Connections } from './postgres-connections.ts';
import * as sql from './postgres-sql.ts';
import { type KeyRecord, knownKey, storable } from './records.ts';
import type { Report, Store } from './store.ts';

/** Time between two renewals of the claims of this process. */
const RENEW_EVERY_MS = 5_000;

const LOST_MS = sql.LOST_AFTER_S * 1_000;

/** Age of the last renewal from which this process sends nothing more: 5 s before it is lost. */
const HELD_MS = LOST_MS - 5_000;

interface HeldClaim {
  /** Distinguishes this claim from all others of the same key, also in other processes. */
  readonly id: string;
  readonly claims: Claims;
  /** Monotonic time at which the last renewal that succeeded began. */
  renewedAt: number;
}

/** Opens a store in a PostgreSQL database, which may be unreachable. */
export function openPostgresStore(url: string, ttlMs: number, report: Report): Store {
  return new PostgresStore(new Connections(url, report), ttlMs);
}

class PostgresStore implements Store {
  readonly #connections: Connections;
  readonly #ttlMs: number;
  readonly #held = new Set<HeldClaim>();
  /** Claims whose request was not sent, but which the database may still contain. */
  readonly #unsent = new Set<HeldClaim>();
  readonly #timer: NodeJS.Timeout;

  constructor(connections: Connections, ttlMs: number) {
    this.#connections = connections;
    this.#ttlMs = ttlMs;
    const renew = () => void this.#renew().catch(ignoreUnavailable);
    this.#timer = setInterval(renew, RENEW_EVERY_MS).unref();
    renew();
  }

  readonly find = async (key: EffectKey): Promise<KnownKey | undefined> => {
    const [record] = await this.#connections.query<KeyRecord>(sql.FIND_KEY, [key.id]);
    return record && knownKey(record, key);
  };

  readonly claim: Store['claim'] = async (claims) => {
    const claim = { id: randomUUID(), claims, renewedAt: performance.now() };
    const refusal = await this.#insert(claim).catch((error: unknown) => {
      // The database may have committed the claim although its answer is missing.
      this.#unsent.add(claim);
      throw error;
    });
    if (refusal !== undefined) return { ok: false, reason: refusal };

    const { key } = claims;
    if (key !== undefined) this.#held.add(claim);
    return success({
      isHeld: () => key === undefined || performance.now() - claim.renewedAt < HELD_MS,
      settle: (outcome) => this.#end(claim, storable(outcome)),
      release: () => this.#release(claim),
      abandon: () => this.#end(claim, null),
    });
  };

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#connections.close();
  }

  /** Inserts everything or nothing. Always inserts in the same order, so that nothing deadlocks. */
  async #insert({ id, claims }: HeldClaim): Promise<ClaimRefusal | undefined> {
    const { key, token, approval } = claims;
    const caller = key?.caller ?? null;
    const refused = await this.#connections.insertAll([
      key && [sql.CLAIM_KEY, [key.id, key.action, caller, id, this.#ttlMs]],
      token && [sql.CLAIM_USE, [token.id, id, token.until]],
      approval && [sql.CLAIM_USE, [approval.id, id, approval.until]],
    ]);
    if (refused === undefined) return undefined;

    // If the key was freed in the meantime, the caller can soon try again.
    if (refused === 0 && key !== undefined)
      return (await this.find(key)) ?? { state: 'in_progress' };

    return { state: refused === 1 ? 'token_used' : 'approval_used' };
  }

  /** Ends a claim with an outcome or, if that is null, as unknown. @throws {StoreUnavailable} */
  async #end(claim: HeldClaim, outcome: Buffer | null): Promise<void> {
    const { key } = claim.claims;
    this.#held.delete(claim);
    if (key === undefined) return;

    const ended = await this.#connections.query(sql.END_KEY, [key.id, claim.id, outcome]);
    if (ended.length === 0) throw new StoreUnavailable();
  }

  async #release(claim: HeldClaim): Promise<void> {
    this.#held.delete(claim);
    this.#unsent.add(claim);
    await this.#free([claim]);
  }

  async #free(claims: readonly HeldClaim[]): Promise<void> {
    const keys = claims.map((each) => each.claims.key?.id);
    const approvals = claims.map((each) => each.claims.approval?.id);
    await this.#connections.query(sql.FREE, [keys, approvals, claims.map(({ id }) => id)]);
    for (const claim of claims) this.#unsent.delete(claim);
  }

  /** Renews the claims of this process, frees those that sent nothing, and prunes. */
  async #renew(): Promise<void> {
    const began = performance.now();
    // During a long outage, keep no claims that are lost anyway, because they would fill memory.
    for (const claim of this.#unsent)
      if (began - claim.renewedAt > LOST_MS) this.#unsent.delete(claim);

    const held = [...this.#held];
    const keys = held.map(({ claims }) => claims.key?.id);
    const ids = held.map(({ id }) => id);
    const renewed = await this.#connections.query<{ claim: string }>(sql.RENEW, [keys, ids]);
    const found = new Set(renewed.map(({ claim }) => claim));
    for (const claim of held) if (found.has(claim.id)) claim.renewedAt = began;

    const unsent = [...this.#unsent];
    if (unsent.length > 0) await this.#free(unsent);
    await this.#connections.query(sql.PRUNE);
  }
}

function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof StoreUnavailable)) throw error;
}
