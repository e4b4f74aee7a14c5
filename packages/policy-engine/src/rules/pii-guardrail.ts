import type { Pii, RuleDecision } from '@gatehouse/contracts';
import type { Profile } from '../profile.ts';
import { answer } from './answer.ts';

/**
 * The personal data guardrail (spec section 4): the strictest category decides; no
 * section: require_approval.
 */
export function piiGuardrail(
  pii: Pii | null | undefined,
  { piiCategories }: Profile,
): RuleDecision {
  if (pii == null) {
    return answer(
      'pii_guardrail',
      'require_approval',
      'No pii section: which personal data is touched is unknown.',
    );
  }
  const { outcome, detail } = piiCategories(pii.categories);
  return answer('pii_guardrail', outcome, detail);
}
