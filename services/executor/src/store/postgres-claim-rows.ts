import type { Claims } from '@gatehouse/http-executor';
import type { Query } from './postgres-connections.ts';
import * as sql from './postgres-sql.ts';

export interface HeldClaim {
  /** Distinguishes this claim from all others of the same key, also in other processes. */
  readonly id: string;
  readonly claims: Claims;
  /** Monotonic time at which the last renewal that succeeded began. */
  renewedAt: number;
}

/** Parts of a claim, in the order in which they are inserted and refused. */
const PARTS = ['key', 'token', 'approval'] as const satisfies (keyof Claims)[];
type Part = (typeof PARTS)[number];

/**
 * Inserts all parts of each claim, or none. Returns the first part of each claim that was refused,
 * and undefined for the other claims. Needs a transaction if it `needsTransaction`.
 */
export async function insertAll(
  query: Query,
  all: readonly HeldClaim[],
  ttlMs: number,
): Promise<(Part | undefined)[]> {
  const refused = new Map<HeldClaim, Part>();
  const begun = new Set<HeldClaim>();
  for (const part of PARTS) {
    const left = all.filter((each) => each.claims[part] !== undefined && !refused.has(each));
    if (left.length === 0) continue;

    const inserted = await (part === 'key'
      ? insertKeys(query, left, ttlMs)
      : insertUses(query, left, part));
    const ids = new Set(inserted.map(({ claim }) => claim));
    for (const claim of left) {
      if (ids.has(claim.id)) begun.add(claim);
      else refused.set(claim, part);
    }
  }
  const inPart = [...refused.keys()].filter((claim) => begun.has(claim));
  if (inPart.length > 0) await free(query, inPart, ['token', 'approval']);
  return all.map((claim) => refused.get(claim));
}

/** True if more than one statement inserts the claims. */
export const needsTransaction = (all: readonly HeldClaim[]): boolean =>
  PARTS.filter((part) => all.some(({ claims }) => claims[part] !== undefined)).length > 1;

interface Inserted {
  /** Id of the claim. */
  readonly claim: string;
}

function insertKeys(query: Query, all: readonly HeldClaim[], ttlMs: number): Promise<Inserted[]> {
  const keys = all.map(({ claims }) => claims.key);
  return query(sql.CLAIM_KEYS, [
    keys.map((key) => key?.id),
    keys.map((key) => key?.action),
    keys.map((key) => key?.caller),
    all.map(({ id }) => id),
    ttlMs,
  ]);
}

function insertUses(
  query: Query,
  all: readonly HeldClaim[],
  part: 'token' | 'approval',
): Promise<Inserted[]> {
  const uses = all.map(({ claims }) => claims[part]);
  return query(sql.CLAIM_USES, [
    uses.map((use) => use?.id),
    all.map(({ id }) => id),
    uses.map((use) => use?.until),
  ]);
}

/** Deletes the keys of claims, and some of their uses. */
export async function free(
  query: Query,
  all: readonly HeldClaim[],
  parts: readonly ('token' | 'approval')[],
): Promise<void> {
  const keys = all.map(({ claims }) => claims.key?.id);
  const uses = all.flatMap(({ claims }) => parts.map((part) => claims[part]?.id));
  await query(sql.FREE, [keys, all.map(({ id }) => id), uses]);
}
