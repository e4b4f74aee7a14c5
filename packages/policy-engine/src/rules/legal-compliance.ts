import type { Legal, RuleDecision } from '@gatehouse/contracts';
import type { Profile } from '../profile.ts';
import { answer } from './answer.ts';

/**
 * The legal guardrail (spec section 4): the strictest flag decides; no section:
 * require_approval.
 */
export function legalCompliance(
  legal: Legal | null | undefined,
  { legalFlags }: Profile,
): RuleDecision {
  if (legal == null) {
    return answer(
      'legal_compliance',
      'require_approval',
      'No legal section: the legal standing is unknown.',
    );
  }
  const { outcome, detail } = legalFlags(legal.flags);
  return answer('legal_compliance', outcome, detail);
}
