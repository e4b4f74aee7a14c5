import { randomUUID } from 'node:crypto';
import { success } from '@gatehouse/contracts';
import {
  type ClaimRefusal,
  type EffectKey,
  type KnownKey,
  StoreUnavailable,
} from '@gatehouse/http-executor';
import { Batches } from './batches.ts';
import { free, type HeldClaim, insertAll, needsTransaction } from './postgres-claim-rows.ts';
import { Connections, type Query } from './postgres-connections.ts';
import * as sql from './postgres-sql.ts';
import { type KeyRecord, knownKey, outcomeRecord } from './records.ts';
import type { Report, Store } from './store.ts';

/** Time between two renewals of the claims of this process. */
const RENEW_EVERY_MS = 5_000;

const LOST_MS = sql.LOST_AFTER_S * 1_000;

/** Age of the last renewal from which this process sends nothing more: 5 s before it is lost. */
const HELD_MS = LOST_MS - 5_000;

interface End {
  readonly claim: HeldClaim;
  /** Null if there is none, so that the key becomes `unknown`. */
  readonly outcome: Buffer | null;
}

/** Opens a store in a PostgreSQL database, which may be unreachable. */
export function openPostgresStore(url: string, ttlMs: number, report: Report): Store {
  return new PostgresStore(new Connections(url, report), ttlMs, report);
}

class PostgresStore implements Store {
  readonly #connections: Connections;
  readonly #ttlMs: number;
  readonly #report: Report;
  readonly #held = new Set<HeldClaim>();
  /** Claims whose request was not sent, but which the database may still contain. */
  readonly #unsent = new Set<HeldClaim>();
  readonly #timer: NodeJS.Timeout;
  readonly #finds = new Batches((keys: readonly EffectKey[]) => this.#findAll(keys));
  readonly #claims = new Batches((claims: readonly HeldClaim[]) => this.#claimAll(claims));
  readonly #ends = new Batches(
    (ends: readonly End[]) => this.#endAll(ends),
    ({ outcome }) => outcome?.length ?? 0,
  );

  constructor(connections: Connections, ttlMs: number, report: Report) {
    this.#connections = connections;
    this.#ttlMs = ttlMs;
    this.#report = report;
    const renew = () => void this.#renew().catch(ignoreUnavailable);
    this.#timer = setInterval(renew, RENEW_EVERY_MS).unref();
    renew();
  }

  readonly find = (key: EffectKey): Promise<KnownKey | undefined> => this.#finds.add(key);

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
      settle: (outcome) => this.#end(claim, outcomeRecord(outcome)),
      release: () => this.#release(claim),
      abandon: () => this.#end(claim, null),
    });
  };

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#connections.close();
  }

  async #findAll(keys: readonly EffectKey[]): Promise<(KnownKey | undefined)[]> {
    type Row = KeyRecord & { readonly id: string };
    const ids = keys.map(({ id }) => id);
    const rows = await this.#connections.query<Row>(sql.FIND_KEYS, [ids]);
    const records = new Map(rows.map((row) => [row.id, row]));
    return keys.map((key) => {
      const record = records.get(key.id);
      return record && knownKey(record, key);
    });
  }

  async #insert(claim: HeldClaim): Promise<ClaimRefusal | undefined> {
    const refused = await this.#claims.add(claim);
    const { key } = claim.claims;
    // If the key was freed in the meantime, the caller can soon try again.
    if (refused === 'key' && key !== undefined)
      return (await this.find(key)) ?? { state: 'in_progress' };

    return refused && { state: refused === 'token' ? 'token_used' : 'approval_used' };
  }

  #claimAll(all: readonly HeldClaim[]) {
    const insert = (query: Query) => insertAll(query, all, this.#ttlMs);
    // A single statement is a transaction by itself.
    return needsTransaction(all)
      ? this.#connections.transaction(insert)
      : insert(this.#connections.query);
  }

  /** Ends a claim with an outcome or, if that is null, as unknown. @throws {StoreUnavailable} */
  async #end(claim: HeldClaim, outcome: Buffer | null): Promise<void> {
    this.#held.delete(claim);
    if (claim.claims.key === undefined) return;

    if (!(await this.#ends.add({ claim, outcome }))) throw new StoreUnavailable();
  }

  /** Returns false for each claim that is lost. */
  async #endAll(ends: readonly End[]): Promise<boolean[]> {
    const keys = ends.map(({ claim }) => claim.claims.key?.id);
    const ids = ends.map(({ claim }) => claim.id);
    const outcomes = ends.map(({ outcome }) => outcome);
    const ended = await this.#idsFrom(sql.END_KEYS, [keys, ids, outcomes]);
    return ids.map((id) => ended.has(id));
  }

  async #release(claim: HeldClaim): Promise<void> {
    this.#held.delete(claim);
    this.#unsent.add(claim);
    await this.#freeAll([claim]);
  }

  async #freeAll(claims: readonly HeldClaim[]): Promise<void> {
    await free(this.#connections.query, claims, ['approval']);
    for (const claim of claims) this.#unsent.delete(claim);
  }

  /** Runs a statement that returns ids of claims. */
  async #idsFrom(
    statement: sql.Statement,
    values: readonly unknown[],
  ): Promise<ReadonlySet<string>> {
    const rows = await this.#connections.query<{ claim: string }>(statement, values);
    return new Set(rows.map(({ claim }) => claim));
  }

  /** Runs every 5 s: renews this process's claims, frees those that sent nothing, and prunes. */
  async #renew(): Promise<void> {
    const began = performance.now();
    // During a long outage, keep no claims that are lost anyway, because they would fill memory.
    for (const claim of this.#unsent)
      if (began - claim.renewedAt > LOST_MS) this.#unsent.delete(claim);

    const held = [...this.#held];
    const keys = held.map(({ claims }) => claims.key?.id);
    const ids = held.map(({ id }) => id);
    const renewed = await this.#idsFrom(sql.RENEW, [keys, ids]);
    for (const claim of held) if (renewed.has(claim.id)) claim.renewedAt = began;

    const unsent = [...this.#unsent];
    if (unsent.length > 0) await this.#freeAll(unsent);
    await this.#connections.query(sql.PRUNE);
    this.#report(undefined);
  }
}

function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof StoreUnavailable)) throw error;
}
