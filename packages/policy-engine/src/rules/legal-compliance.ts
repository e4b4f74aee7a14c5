import { LEGAL_FLAGS } from '@gatehouse/contracts';
import { type Rule, sectionMissing } from '../rule.ts';
import { evaluateLabels, type LabelKind } from './labels.ts';

const MISSING = 'No legal section, so the legal status is unknown.';

const FLAGS: LabelKind = {
  singular: 'Legal flag',
  plural: 'Legal flags',
  known: LEGAL_FLAGS,
  codes: {
    allow: 'flags_allowed',
    require_approval: 'flag_needs_approval',
    deny: 'flag_denied',
    unknown: 'flag_unknown',
  },
  toFacts: (flags) => ({ flags }),
  toRemedy: (drop_flags) => ({ drop_flags }),
};

/** Legal guardrail (`policy-service.md` section 4): the strictest flag decides. */
export const legalCompliance: Rule = ({ legal }, { profile }) => {
  if (legal == null) return sectionMissing(profile.legal.missing, MISSING);
  return evaluateLabels(legal.flags, profile.legal.flags, FLAGS);
};
