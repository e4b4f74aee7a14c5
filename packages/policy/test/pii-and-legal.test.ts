import { describe, expect, it } from 'vitest';
import { expectAnswers } from './support/answers.ts';
import { CATEGORIES, FLAGS } from './support/decision-table.ts';

function subsetsOf<T>(members: readonly T[]): T[][] {
  const [first, ...others] = members;
  if (first === undefined) return [[]];
  return subsetsOf(others).flatMap((set) => [set, [first, ...set]]);
}

describe('pii_guardrail', () => {
  it('decides every subset of the categories, word for word', () => {
    const subsets = subsetsOf(CATEGORIES);
    expect(subsets).toHaveLength(128);
    expectAnswers(subsets.map((categories) => ({ pii: { categories } })));
  });
});

describe('legal_compliance', () => {
  it('decides every subset of the flags, word for word', () => {
    const subsets = subsetsOf(FLAGS);
    expect(subsets).toHaveLength(32);
    expectAnswers(subsets.map((flags) => ({ legal: { flags } })));
  });
});
