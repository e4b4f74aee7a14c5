import { PII_CATEGORIES, type Profile } from '@gatehouse/contracts';
import type { Rule } from '../rule.ts';
import { labelRule, outcomesOf } from './labels.ts';

/** The personal data guardrail (spec section 4): the strictest category decides. */
export function piiGuardrail({ pii: { categories: outcomes, missing } }: Profile): Rule {
  return labelRule({
    rule: 'pii_guardrail',
    noun: 'PII categories',
    outcomes,
    order: PII_CATEGORIES,
    codes: {
      allow: 'categories_allowed',
      require_approval: 'category_needs_approval',
      deny: 'category_denied',
      unknown: 'category_unknown',
    },
    labelsOf: ({ pii }) => pii?.categories,
    sectionOf: (categories) => ({ pii: { categories } }),
    missing: {
      outcome: missing,
      detail: 'No pii section: which personal data is touched is unknown.',
    },
    explain: ({ pii }) => {
      if (pii == null) return {};
      const { each: categories, notAllowed } = outcomesOf(pii.categories, outcomes);
      if (notAllowed.length === 0) return { categories };
      return { categories, remedy: { drop_categories: notAllowed } };
    },
  });
}
