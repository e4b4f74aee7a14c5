import { PII_CATEGORIES, type Profile } from '@gatehouse/contracts';
import type { Rule } from '../rule.ts';
import { labelRule } from './labels.ts';

/** The personal data guardrail (spec section 4): the strictest category decides. */
export function piiGuardrail({ pii: { categories: outcomes, missing } }: Profile): Rule {
  return labelRule({
    rule: 'pii_guardrail',
    section: 'pii',
    list: 'categories',
    nouns: ['PII category', 'PII categories'],
    outcomes,
    order: PII_CATEGORIES,
    codes: {
      allow: 'categories_allowed',
      require_approval: 'category_needs_approval',
      deny: 'category_denied',
      unknown: 'category_unknown',
    },
    labelsOf: ({ pii }) => pii?.categories,
    missing: {
      outcome: missing,
      detail: 'No pii section: which personal data is touched is unknown.',
    },
  });
}
