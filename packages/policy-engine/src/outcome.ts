import type { Outcome } from '@gatehouse/contracts';

/**
 * The stricter of two outcomes: deny before require_approval before allow (spec section
 * 1).
 */
export function stricter(a: Outcome, b: Outcome): Outcome {
  if (a === 'deny' || b === 'deny') return 'deny';
  return a === 'require_approval' ? a : b;
}
