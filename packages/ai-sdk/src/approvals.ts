/**
 * Calls that wait for a person, each good for one execution. Any `Set`, or a store that
 * several processes share: the methods are Redis' `SADD`, `SREM` and `SISMEMBER`.
 */
export interface Approvals {
  add(key: string): unknown;
  /** Whether it was there; two callers are never both told so. */
  delete(key: string): boolean | Promise<boolean>;
  has(key: string): boolean | Promise<boolean>;
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
    has: (key) => pending.has(key),
  };
}
