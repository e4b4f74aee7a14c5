import { describe, expect, it } from 'vitest';
import { evaluate } from '../src/index.ts';
import { expectAnswers } from './support/answers.ts';
import {
  CATEGORIES,
  type Category,
  FLAGS,
  type Flag,
  type Verdict,
} from './support/decision-table.ts';

const BY_CATEGORIES: [categories: Category[], outcome: Verdict][] = [
  [[], 'allow'],
  [['basic_contact'], 'allow'],
  [['location'], 'allow'],
  [['other'], 'allow'],
  [['financial'], 'require_approval'],
  [['health'], 'require_approval'],
  [['biometric'], 'deny'],
  [['government_id'], 'deny'],
  [['other', 'financial'], 'require_approval'],
  [['government_id', 'health'], 'deny'],
];

const BY_FLAGS: [flags: Flag[], outcome: Verdict][] = [
  [[], 'allow'],
  [['other'], 'allow'],
  [['requires_review'], 'require_approval'],
  [['terms_unknown'], 'require_approval'],
  [['export_controlled'], 'require_approval'],
  [['prohibited_content'], 'deny'],
  [['other', 'terms_unknown'], 'require_approval'],
  [['prohibited_content', 'other'], 'deny'],
];

function subsetsOf<T>(members: readonly T[]): T[][] {
  const [first, ...others] = members;
  if (first === undefined) return [[]];
  return subsetsOf(others).flatMap((set) => [set, [first, ...set]]);
}

describe('pii_guardrail', () => {
  it.each(BY_CATEGORIES)('%j: %s', (categories, outcome) => {
    const [, answer] = evaluate({ pii: { categories } }).rules;
    expect(answer).toMatchObject({ rule: 'pii_guardrail', outcome });
  });

  it('decides every subset of the categories, word for word', () => {
    const subsets = subsetsOf(CATEGORIES);
    expect(subsets).toHaveLength(128);
    expectAnswers(subsets.map((categories) => ({ pii: { categories } })));
  });
});

describe('legal_compliance', () => {
  it.each(BY_FLAGS)('%j: %s', (flags, outcome) => {
    const [, , answer] = evaluate({ legal: { flags } }).rules;
    expect(answer).toMatchObject({ rule: 'legal_compliance', outcome });
  });

  it('decides every subset of the flags, word for word', () => {
    const subsets = subsetsOf(FLAGS);
    expect(subsets).toHaveLength(32);
    expectAnswers(subsets.map((flags) => ({ legal: { flags } })));
  });
});
