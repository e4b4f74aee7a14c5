import { describe, expect, it } from 'vitest';
import { evaluate } from '../src/index.ts';
import { PII_CASES } from './support/cases.ts';
import type { Category, Verdict } from './support/decision-table.ts';
import { expectAnswers } from './support/in-process.ts';

const NAMED: [categories: Category[], outcome: Verdict][] = [
  [[], 'allow'],
  [['basic_contact'], 'allow'],
  [['location'], 'allow'],
  [['other'], 'allow'],
  [['financial'], 'require_approval'],
  [['health'], 'require_approval'],
  [['biometric'], 'deny'],
  [['government_id'], 'deny'],
  [['basic_contact', 'location', 'other'], 'allow'],
  [['other', 'financial'], 'require_approval'],
  [['financial', 'biometric'], 'deny'],
  [['government_id', 'health'], 'deny'],
];

describe('pii_guardrail', () => {
  it.each(NAMED)('%j: %s', (categories, outcome) => {
    expect(evaluate({ pii: { categories } }).rules[1]).toMatchObject({
      rule: 'pii_guardrail',
      outcome,
    });
  });

  it('answers every subset of the categories, word for word', () => {
    expect(new Set(PII_CASES.map(({ name }) => name)).size).toBe(128);
    expectAnswers(PII_CASES);
  });
});
