import type { DecisionClaims, ExecutorProblemCode } from '@gatehouse/contracts';
import { type FindKey, readSigned } from '@gatehouse/contracts/signed';
import { Refusal } from '../errors.ts';

/** Public keys of the policy service. */
export interface DecisionKeys {
  /** False until there is at least one key. */
  readonly isUsable: boolean;
  /** Finds a key by its id, and looks for new keys if it is unknown. */
  readonly find: FindKey;
}

/** Rules for decision tokens (docs/contract.md, "Enforcement"). */
export interface DecisionRules {
  readonly keys: DecisionKeys;
  /** Required claim `iss`. */
  readonly issuer: string;
  /** True if the executor names its callers, so that a token must have the same caller. */
  readonly namesCallers: boolean;
}

interface Presented {
  readonly token: string | undefined;
  readonly caller: string | undefined;
  /** Digest of the action that is to be executed. */
  readonly digest: string;
  /** Called with the claims of a genuine token, for the log. */
  readonly onDecision?: ((claims: DecisionClaims) => void) | undefined;
}

/** Tolerance for clocks that differ, in seconds. */
export const CLOCK_TOLERANCE_S = 30;

const MAX_LIFETIME_S = 300;

/**
 * Verifies a decision token, except for its expiry and its single use. Refuses the first of these:
 * 1. the executor has no keys: `DecisionKeysUnavailable`;
 * 2. no token: `DecisionRequired`;
 * 3. a bad signature, header or claim, or the token of another caller: `DecisionInvalid`;
 * 4. the token allows something else: `DecisionForAnotherAction`.
 * @throws {Refusal}
 */
export async function verifyDecision(
  { token, caller, digest, onDecision }: Presented,
  rules: DecisionRules,
  now: Date,
): Promise<DecisionClaims> {
  if (!rules.keys.isUsable) throw new Refusal('DecisionKeysUnavailable', NO_KEYS, 1);

  if (token === undefined || token === '') throw decisionRefusal('DecisionRequired', 'is missing');

  const { keys, issuer } = rules;
  const claims = await readSigned(token, 'decision', (kid) => keys.find(kid), issuer);
  if (claims !== undefined) onDecision?.(claims);
  const mistake = claims === undefined ? NOT_GENUINE : claimsMistake(claims, now);
  if (claims === undefined || mistake !== undefined)
    throw decisionRefusal('DecisionInvalid', mistake ?? NOT_GENUINE);

  if (rules.namesCallers && claims.caller !== caller)
    throw decisionRefusal('DecisionInvalid', otherCaller(claims.caller, caller));

  if (claims.action_digest !== digest)
    throw decisionRefusal('DecisionForAnotherAction', 'allows another action');

  return claims;
}

/**
 * Refuses a token whose time, or whose approval's time, is over. An approval has no tolerance.
 * @throws {Refusal} `DecisionExpired`
 */
export function refuseExpired({ exp, approved_until }: DecisionClaims, now: Date): void {
  if (secondsOf(now) > exp + CLOCK_TOLERANCE_S)
    throw decisionRefusal('DecisionExpired', 'has expired');

  if (approved_until !== undefined && now.getTime() > Date.parse(approved_until))
    throw decisionRefusal('DecisionExpired', 'rests on an approval that has expired');
}

const NO_KEYS =
  'Nothing was sent, because this executor has no usable keys of the policy service yet; send the action again later.';

function otherCaller(issuedTo: string | undefined, sender: string | undefined): string {
  const named = (name?: string) =>
    name === undefined ? 'a caller without a name' : `the caller \`${name}\``;
  return `was issued to ${named(issuedTo)}, and not to ${named(sender)}`;
}

const NOT_GENUINE =
  'has no valid signature of the policy service, is not a decision token for this executor, or names another issuer than this executor expects';

const ASK_AGAIN = 'ask the policy about exactly this action, and send the `token` of its answer';

/** `what` completes "the decision token …". */
export const decisionRefusal = (
  code: ExecutorProblemCode,
  what: string,
  remedy = ASK_AGAIN,
): Refusal =>
  new Refusal(
    code,
    `Nothing was sent, because the decision token in \`x-gatehouse-decision\` ${what}; ${remedy}.`,
  );

function claimsMistake(
  { iat, exp, nbf = iat, approval_id, approved_until = '' }: DecisionClaims,
  now: Date,
): string | undefined {
  if ((approval_id !== undefined) !== Date.parse(approved_until) > 0) return BAD_APPROVAL;

  if (exp - iat > MAX_LIFETIME_S) return `must be valid for at most ${MAX_LIFETIME_S} s`;

  const latest = secondsOf(now) + CLOCK_TOLERANCE_S;
  return iat > latest || nbf > latest ? 'is not valid yet' : undefined;
}

const BAD_APPROVAL = 'must have both `approval_id` and a valid `approved_until`, or neither';

const secondsOf = (date: Date): number => date.getTime() / 1_000;
