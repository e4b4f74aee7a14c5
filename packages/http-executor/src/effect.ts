import type { Clock } from './clock.ts';
import { CLOCK_TOLERANCE_S, decisionRefusal, refuseExpired } from './decisions/verify.ts';
import {
  type Claim,
  type ClaimRefusal,
  type Claims,
  type EffectStore,
  type StoredOutcome,
  StoreUnavailable,
} from './effects/store.ts';
import { UNKNOWN_OUTCOME } from './effects/unknown-outcome.ts';
import { Refusal } from './errors.ts';
import type { OutboundRequest } from './guard/guard.ts';
import { TransportError } from './wire.ts';

/**
 * Single use of an execution's idempotency key, of its decision token and of the approval in the
 * token (docs/contract.md, "One effect per key").
 */
export class Effect implements AsyncDisposable {
  readonly #store: EffectStore;
  readonly #claims: Claims;
  #claim: Claim | undefined;
  #maybeSent = false;

  constructor(store: EffectStore, request: OutboundRequest) {
    this.#store = store;
    this.#claims = claimsOf(request);
  }

  /**
   * Returns the outcome of an earlier execution with the same key, if there is one.
   * @throws {Refusal} if the key covers another action or is in use, or the token has expired
   */
  async find({ decision, key }: OutboundRequest, clock: Clock): Promise<StoredOutcome | undefined> {
    const known = key && (await reached(this.#store.find(key)));
    if (known !== undefined) return outcomeOf(known);

    if (decision !== undefined) refuseExpired(decision, clock.date());
    return undefined;
  }

  /**
   * Claims the effect before the first attempt. Returns an outcome that another execution with the
   * same key has stored in the meantime. @throws {Refusal}
   */
  async claim({ decision }: OutboundRequest, clock: Clock): Promise<StoredOutcome | undefined> {
    const { key, token } = this.#claims;
    if (this.#claim !== undefined || (key ?? token) === undefined) return undefined;

    // The token may have expired while the execution waited for a slot. A store forgets expired
    // tokens and would accept this one twice.
    if (decision !== undefined) refuseExpired(decision, clock.date());

    const claimed = await reached(this.#store.claim(this.#claims));
    if (claimed.ok) {
      this.#claim = claimed.value;
      return undefined;
    }

    return outcomeOf(claimed.reason);
  }

  /** False if another process may have taken over the key, so that nothing more may be sent. */
  get isHeld(): boolean {
    return this.#claim?.isHeld() ?? true;
  }

  /**
   * Records that the first byte of a request is about to be sent.
   * @throws {TransportError} if another process may have taken over the key
   */
  readonly sending = (): void => {
    if (!this.isHeld) throw new TransportError('connection', LOST);
    this.#maybeSent = true;
  };

  /** Stores the outcome, or frees the key if nothing was sent. The caller gets it in any case. */
  async settle(outcome: StoredOutcome): Promise<void> {
    const claim = this.#claim;
    this.#claim = undefined;
    await ignoreUnreached(this.#maybeSent ? claim?.settle(outcome) : claim?.release());
  }

  /** Ends an execution that has no outcome. */
  async [Symbol.asyncDispose](): Promise<void> {
    await ignoreUnreached(this.#maybeSent ? this.#claim?.abandon() : this.#claim?.release());
  }
}

const MS_PER_S = 1_000;

/**
 * Time for which an approval is remembered after its end. Its request may be approved again for at
 * most 30 days, and that approval, which has the same id, is valid for at most another day.
 */
const APPROVAL_MEMORY_MS = 31 * 24 * 60 * 60 * MS_PER_S;

function claimsOf({ key, decision }: OutboundRequest): Claims {
  if (decision === undefined) return { key, token: undefined, approval: undefined };

  const { jti, exp, approval_id: id, approved_until: until } = decision;
  // Remember the token for longer than it is accepted, because a claim takes time to arrive.
  const token = { id: jti, until: Math.ceil((exp + 2 * CLOCK_TOLERANCE_S) * MS_PER_S) };
  const approval = id && until ? { id, until: Date.parse(until) + APPROVAL_MEMORY_MS } : undefined;
  return { key, token, approval };
}

function outcomeOf(known: ClaimRefusal): StoredOutcome {
  switch (known.state) {
    case 'token_used':
      throw decisionRefusal('DecisionUsed', 'was already used', TOKEN_USED);
    case 'approval_used':
      throw decisionRefusal('DecisionUsed', APPROVED_ONCE, APPROVAL_USED);
    case 'done':
      return known.outcome;
    case 'unknown':
      return UNKNOWN_OUTCOME;
    case 'other_action':
      throw new Refusal('KeyReused', REUSED);
    case 'in_progress':
      throw new Refusal('KeyInProgress', IN_PROGRESS, 1);
  }
}

const TOKEN_USED =
  'only if the action was not carried out yet, ask the policy about it again, and send the `token` of its answer';
const APPROVED_ONCE = 'rests on an approval that was already used';
const APPROVAL_USED =
  'only if the action was not carried out yet, send the check again without `approval`, and have its new `approval_request` approved';
const REUSED =
  'Nothing was sent, because this `idempotency-key` belongs to another action; use a new key for each action, and repeat an action exactly.';
const IN_PROGRESS =
  'An execution with this `idempotency-key` is in progress; repeat the request after `retry-after` seconds to get its outcome.';
const LOST =
  'This executor lost its claim of the `idempotency-key`; only if nothing was sent, send the action again with a new key.';
const UNAVAILABLE =
  'Nothing was sent, because the store of idempotency keys and used tokens cannot be reached; send the action again later.';

async function reached<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof StoreUnavailable ? new Refusal('StoreUnavailable', UNAVAILABLE) : error;
  }
}

/** Ignores that the store cannot be reached, because the key then becomes `unknown` by itself. */
async function ignoreUnreached(done: Promise<void> | undefined): Promise<void> {
  try {
    await done;
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
  }
}
