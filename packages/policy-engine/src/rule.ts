import type { CheckRequest, Outcome, RuleDecision } from '@gatehouse/contracts';

/** A rule of one profile. Undefined: it has no entry in the answer. */
export type Rule = (request: CheckRequest) => RuleDecision | undefined;

/**
 * The stricter of two outcomes: deny, then require_approval, then allow (spec section 1).
 * Anything else counts as deny.
 */
export function stricter(a: Outcome, b: Outcome): Outcome {
  if (!isLenient(a) || !isLenient(b)) return 'deny';
  return a === 'allow' ? b : a;
}

function isLenient(outcome: Outcome): boolean {
  return outcome === 'allow' || outcome === 'require_approval';
}
