import { describe, expect, it } from 'vitest';
import { evaluatePolicy } from '../src/index.ts';
import { expectedSummary, summarize } from './support/answers.ts';
import { PII_CASES } from './support/cases.ts';
import type { Category, Verdict } from './support/decision-table.ts';
import { answerInProcess } from './support/in-process.ts';

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
    expect(evaluatePolicy({ pii: { categories } }).rules[1]).toMatchObject({
      rule: 'pii_guardrail',
      outcome,
    });
  });

  it.each([{}, { pii: null }])('asks for approval when the section is missing: %j', (request) => {
    expect(summarize(answerInProcess(request), request)).toEqual(expectedSummary(request));
  });
});

describe('pii_guardrail on every subset of the categories', () => {
  it('has all 128', () => {
    expect(new Set(PII_CASES.map(({ name }) => name)).size).toBe(128);
  });

  it.each(PII_CASES)('$name', ({ request }) => {
    expect(summarize(answerInProcess(request), request)).toEqual(expectedSummary(request));
  });
});
