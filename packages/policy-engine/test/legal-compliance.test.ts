import { describe, expect, it } from 'vitest';
import { evaluate } from '../src/index.ts';
import { LEGAL_CASES } from './support/cases.ts';
import type { Flag, Verdict } from './support/decision-table.ts';
import { expectAnswers } from './support/in-process.ts';

const NAMED: [flags: Flag[], outcome: Verdict][] = [
  [[], 'allow'],
  [['other'], 'allow'],
  [['requires_review'], 'require_approval'],
  [['terms_unknown'], 'require_approval'],
  [['export_controlled'], 'require_approval'],
  [['prohibited_content'], 'deny'],
  [['other', 'terms_unknown'], 'require_approval'],
  [['requires_review', 'prohibited_content'], 'deny'],
  [['prohibited_content', 'other'], 'deny'],
];

describe('legal_compliance', () => {
  it.each(NAMED)('%j: %s', (flags, outcome) => {
    expect(evaluate({ legal: { flags } }).rules[2]).toMatchObject({
      rule: 'legal_compliance',
      outcome,
    });
  });

  it('answers every subset of the flags, word for word', () => {
    expect(new Set(LEGAL_CASES.map(({ name }) => name)).size).toBe(32);
    expectAnswers(LEGAL_CASES);
  });
});
