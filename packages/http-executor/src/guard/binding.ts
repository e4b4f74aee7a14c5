import type { ActionArguments, DecisionClaims, Method } from '@gatehouse/contracts';
import { actionDigest } from '@gatehouse/contracts/action';
import type { Clock } from '../clock.ts';
import { type DecisionRules, verifyDecision } from '../decisions/verify.ts';
import { effectKey, readKey } from '../effects/key.ts';
import type { EffectKey } from '../effects/store.ts';
import { Refusal } from '../errors.ts';

export interface BindingRules {
  readonly clock: Clock;
  /** Undefined if executions need no decision token. */
  readonly decisions: DecisionRules | undefined;
  /** True if there is a store, so that executions may have an idempotency key. */
  readonly keepsKeys: boolean;
}

/** Who sends an action, and what comes with it. */
export interface Sender {
  /** Name of the caller's token. */
  readonly caller?: string | undefined;
  /** Decision token. */
  readonly decision?: string | undefined;
  /** `Idempotency-Key` header. */
  readonly key?: string | undefined;
  /** True if nothing will be sent, so that no decision token is needed. */
  readonly isDryRun?: boolean;
  /** Called with the claims of a genuine decision token, for the log. */
  readonly onDecision?: ((claims: DecisionClaims) => void) | undefined;
}

/** Link from an execution to a decision and to earlier executions. */
export interface Binding {
  readonly decision: DecisionClaims | undefined;
  readonly key: EffectKey | undefined;
}

/** Says whether the digest of an action is needed. @throws {Refusal} if the key is unusable */
export function needsDigest({ key }: Sender, { decisions, keepsKeys }: BindingRules): boolean {
  if (key === undefined) return decisions !== undefined;

  const read = readKey(key);
  if (!read.ok) throw new Refusal('InvalidIdempotencyKey', read.reason);

  if (!keepsKeys) throw new Refusal('IdempotencyUnavailable', NO_STORE);
  return true;
}

const NO_STORE =
  'Nothing was sent, because this executor has no store for idempotency keys; leave `idempotency-key` out, or ask an operator to set up a store.';

interface Read {
  readonly action: ActionArguments;
  readonly method: Method;
  readonly url: URL;
  /** Headers by lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
}

/** Verifies the decision token, and derives what a store keeps of the key. @throws {Refusal} */
export async function bind(
  { action, method, url, headers }: Read,
  sender: Sender,
  rules: BindingRules,
): Promise<Binding> {
  if (!needsDigest(sender, rules)) return { decision: undefined, key: undefined };

  const exact = actionDigest({ ...action, method, url });
  if (!exact.ok) throw new Refusal('InvalidAction', exact.reason);

  const digest = exact.value;
  if (sender.isDryRun) return { decision: undefined, key: undefined };

  const { caller, decision: token, onDecision } = sender;
  const presented = { token, caller, digest, onDecision };
  const { decisions, clock } = rules;
  const decision = decisions && (await verifyDecision(presented, decisions, clock.date()));
  const read = readKey(sender.key ?? '');
  const key = read.ok ? effectKey(read.value, { action, headers, digest, caller }) : undefined;
  return { decision, key };
}
