import type { Profile } from '../profile.ts';
import type { Rule } from '../rule.ts';
import { labelJudge } from './labels.ts';

const RULE = 'legal_compliance';

/** The legal guardrail (spec section 4): the strictest flag decides. */
export function legalCompliance({ legalFlags }: Profile): Rule {
  const judge = labelJudge(RULE, 'Legal flags', legalFlags);
  return ({ legal }) => {
    if (legal != null) return judge(legal.flags);
    const detail = 'No legal section: the legal standing is unknown.';
    return { rule: RULE, outcome: 'require_approval', detail };
  };
}
