import type { Profile } from '../profile.ts';
import type { Rule } from '../rule.ts';
import { labelJudge } from './labels.ts';

const RULE = 'pii_guardrail';

/** The personal data guardrail (spec section 4): the strictest category decides. */
export function piiGuardrail({ piiCategories }: Profile): Rule {
  const judge = labelJudge(RULE, 'PII categories', piiCategories);
  return ({ pii }) => {
    if (pii != null) return judge(pii.categories);
    const detail = 'No pii section: which personal data is touched is unknown.';
    return { rule: RULE, outcome: 'require_approval', detail };
  };
}
