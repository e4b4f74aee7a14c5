import { LEGAL_FLAGS, type Profile } from '@gatehouse/contracts';
import type { Rule } from '../rule.ts';
import { labelRule } from './labels.ts';

/** The legal guardrail (spec section 4): the strictest flag decides. */
export function legalCompliance({ legal: { flags: outcomes, missing } }: Profile): Rule {
  return labelRule({
    rule: 'legal_compliance',
    section: 'legal',
    list: 'flags',
    nouns: ['Legal flag', 'Legal flags'],
    outcomes,
    order: LEGAL_FLAGS,
    codes: {
      allow: 'flags_allowed',
      require_approval: 'flag_needs_approval',
      deny: 'flag_denied',
      unknown: 'flag_unknown',
    },
    labelsOf: ({ legal }) => legal?.flags,
    missing: { outcome: missing, detail: 'No legal section: the legal standing is unknown.' },
  });
}
