import { createHash } from 'node:crypto';
import type { GatedAction } from '@gatehouse/client';

/**
 * Calls that wait for a person, each good for one execution. Any `Set`, or a store that
 * several processes share: `add` and `delete` are Redis' `SADD` and `SREM`.
 */
export interface Approvals {
  add(key: string): unknown;
  /** Whether it was there; two callers are never both told so. */
  delete(key: string): boolean | Promise<boolean>;
}

const MAX_PENDING = 10_000;

/** In this process; the oldest are forgotten, and then have to be approved anew. */
export function approvalsInMemory(): Approvals {
  const pending = new Set<string>();
  return {
    add: (key) => {
      const [oldest] = pending;
      if (pending.size >= MAX_PENDING && oldest !== undefined) pending.delete(oldest);
      pending.add(key);
    },
    delete: (key) => pending.delete(key),
  };
}

/** What is approved: this call, with this action and check, for this reason. */
export function approvalKey(toolCallId: string, gated: GatedAction, reason: string): string {
  const document = JSON.stringify([toolCallId, gated.action, gated.check, reason], sorted);
  return createHash('sha256').update(document).digest('hex');
}

/** A history that went through a database may have its members in another order. */
function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
