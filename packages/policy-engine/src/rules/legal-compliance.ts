import { LEGAL_FLAGS } from '@gatehouse/contracts';
import { type Rule, sectionMissing } from '../rule.ts';
import { judgeLabels, type LabelKind } from './labels.ts';

const MISSING = 'No legal section: the legal standing is unknown.';

const FLAGS: LabelKind = {
  nouns: ['Legal flag', 'Legal flags'],
  known: LEGAL_FLAGS,
  codes: {
    allow: 'flags_allowed',
    require_approval: 'flag_needs_approval',
    deny: 'flag_denied',
    unknown: 'flag_unknown',
  },
  factsOf: (flags, drop) =>
    drop.length === 0 ? { flags } : { flags, remedy: { drop_flags: drop } },
};

/** The legal guardrail (spec section 4): the strictest flag decides. */
export const legalCompliance: Rule = ({ legal }, { profile }) => {
  if (legal == null) return sectionMissing(profile.legal.missing, MISSING);
  return judgeLabels(legal.flags, profile.legal.flags, FLAGS);
};
