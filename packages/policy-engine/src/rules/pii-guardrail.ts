import { PII_CATEGORIES } from '@gatehouse/contracts';
import { type Rule, sectionMissing } from '../rule.ts';
import { judgeLabels, type LabelKind } from './labels.ts';

const MISSING = 'No pii section: which personal data is touched is unknown.';

const CATEGORIES: LabelKind = {
  nouns: ['PII category', 'PII categories'],
  known: PII_CATEGORIES,
  codes: {
    allow: 'categories_allowed',
    require_approval: 'category_needs_approval',
    deny: 'category_denied',
    unknown: 'category_unknown',
  },
  factsOf: (categories, drop) =>
    drop.length === 0 ? { categories } : { categories, remedy: { drop_categories: drop } },
};

/** The personal data guardrail (spec section 4): the strictest category decides. */
export const piiGuardrail: Rule = ({ pii }, { profile }) => {
  if (pii == null) return sectionMissing(profile.pii.missing, MISSING);
  return judgeLabels(pii.categories, profile.pii.categories, CATEGORIES);
};
