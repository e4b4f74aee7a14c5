/** Something that may be used once, such as a decision token. */
export interface Use {
  readonly id: string;
  /** Time until which the store must remember the use, in milliseconds since 1970. */
  readonly until: number;
}

/** Idempotency key of a caller. Both members are hashes, so that a store holds no secrets. */
export interface EffectKey {
  /** Identifies the caller and the key. */
  readonly id: string;
  /** Hash of everything that the key covers, such as the action and its `fields`. */
  readonly action: string;
  readonly caller: string | undefined;
}

/** Everything that an execution claims before its first byte is sent. */
export interface Claims {
  readonly key: EffectKey | undefined;
  readonly token: Use | undefined;
  /** Approval of a person, which allows one execution that sends something. */
  readonly approval: Use | undefined;
}

/** Outcome as `POST /execute` returned it. */
export interface StoredOutcome {
  readonly json: Buffer;
}

/**
 * State of a key in a store:
 * - `other_action`: the key covers another action.
 * - `in_progress`: an execution is under way.
 * - `unknown`: a process ended before it could store the outcome.
 * - `done`: the execution has an outcome.
 */
export type KnownKey =
  | { readonly state: 'other_action' | 'in_progress' | 'unknown' }
  | { readonly state: 'done'; readonly outcome: StoredOutcome };

export type ClaimRefusal = KnownKey | { readonly state: 'token_used' | 'approval_used' };

/** INVARIANT: for each key, token and approval, at most one execution holds a claim. */
export interface Claim {
  /** False as soon as another process may treat the claim as lost. Then send nothing more. */
  readonly isHeld: () => boolean;
  /** Stores the outcome. @throws {StoreUnavailable} after which the key is `unknown` */
  readonly settle: (outcome: StoredOutcome) => Promise<void>;
  /** Frees the key and the approval, because nothing was sent. The token stays used. */
  readonly release: () => Promise<void>;
  /** Marks the key as `unknown`, because there will be no outcome. */
  readonly abandon: () => Promise<void>;
}

/** Remembers effects, so that each happens at most once. Methods throw `StoreUnavailable`. */
export interface EffectStore {
  /** Returns what is known about a key, or undefined for a new one. */
  readonly find: (key: EffectKey) => Promise<KnownKey | undefined>;
  /**
   * Claims everything or nothing, in one transaction that is committed when this resolves. Refuses
   * the first of key, token and approval that cannot be claimed.
   */
  readonly claim: (
    claims: Claims,
  ) => Promise<
    | { readonly ok: true; readonly value: Claim }
    | { readonly ok: false; readonly reason: ClaimRefusal }
  >;
}

/** The store cannot be reached, so nothing was claimed. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}
