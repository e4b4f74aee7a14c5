import { PII_CATEGORIES } from '@gatehouse/contracts';
import { type Rule, sectionMissing } from '../rule.ts';
import { evaluateLabels, type LabelKind } from './labels.ts';

const MISSING = 'No pii section, so the personal data involved is unknown.';

const CATEGORIES: LabelKind = {
  singular: 'PII category',
  plural: 'PII categories',
  known: PII_CATEGORIES,
  codes: {
    allow: 'categories_allowed',
    require_approval: 'category_needs_approval',
    deny: 'category_denied',
    unknown: 'category_unknown',
  },
  toFacts: (categories) => ({ categories }),
  toRemedy: (drop_categories) => ({ drop_categories }),
};

/** Personal data guardrail (`policy-service.md` section 4): the strictest category decides. */
export const piiGuardrail: Rule = ({ pii }, { profile }) => {
  if (pii == null) return sectionMissing(profile.pii.missing, MISSING);
  return evaluateLabels(pii.categories, profile.pii.categories, CATEGORIES);
};
