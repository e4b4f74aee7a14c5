import type { CheckRequest, Outcome, RuleDecision } from '@gatehouse/contracts';

/** A rule of one profile. Undefined: it has no entry in the answer. */
export type Rule = (request: CheckRequest) => RuleDecision | undefined;

/** The stricter of two outcomes: deny, then require_approval, then allow (spec section 1). */
export function stricter(a: Outcome, b: Outcome): Outcome {
  if (a === 'deny' || b === 'deny') return 'deny';
  return a === 'require_approval' ? a : b;
}
