/**
 * Keys of the calls that wait for a person's approval. Each key allows one execution. A `Set` is
 * enough for one process, but several processes need a shared store. With Redis, use `SADD`,
 * `SREM` and `SISMEMBER`.
 */
export interface Approvals {
  add(key: string): unknown;
  /**
   * Returns true if the key was present. INVARIANT: if several callers delete a key at the same
   * time, only one of them gets true.
   */
  delete(key: string): boolean | Promise<boolean>;
  has(key: string): boolean | Promise<boolean>;
}

const MAX_PENDING = 10_000;

/** Keeps up to 10,000 approvals in memory. At the limit, a new approval replaces the oldest one. */
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
