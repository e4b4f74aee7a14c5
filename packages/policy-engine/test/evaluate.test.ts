import { describe, expect, it } from 'vitest';
import { evaluate, toResponse } from '../src/index.ts';
import { CROSSED_CASES } from './support/cases.ts';
import type { CheckInput, Verdict } from './support/decision-table.ts';
import { expectAnswers } from './support/in-process.ts';

const OVERALL: [name: string, request: CheckInput, decision: Verdict, rules: Verdict[]][] = [
  [
    'an empty request',
    {},
    'require_approval',
    ['require_approval', 'require_approval', 'require_approval'],
  ],
  [
    'null sections',
    { request_id: null, spend: null, pii: null, legal: null, connector: null },
    'require_approval',
    ['require_approval', 'require_approval', 'require_approval'],
  ],
  [
    'everything allowed',
    {
      spend: { amount_minor_units: 8_750, currency: 'EUR' },
      pii: { categories: ['basic_contact'] },
      legal: { flags: [] },
      connector: { scope: 'mcp://calendar' },
    },
    'allow',
    ['allow', 'allow', 'allow', 'allow'],
  ],
  [
    'a deny first, with all others answering',
    {
      spend: { amount_minor_units: 50_001, currency: 'EUR' },
      pii: { categories: ['health'] },
      legal: { flags: ['other'] },
      connector: { scope: 'mcp://root' },
    },
    'deny',
    ['deny', 'require_approval', 'allow', 'deny'],
  ],
  [
    'only the connector denies',
    {
      spend: { amount_minor_units: 1, currency: 'EUR' },
      pii: { categories: [] },
      legal: { flags: [] },
      connector: { scope: 'mcp://admin' },
    },
    'deny',
    ['allow', 'allow', 'allow', 'deny'],
  ],
  [
    'only the legal section is missing',
    { spend: { amount_minor_units: 1, currency: 'EUR' }, pii: { categories: [] } },
    'require_approval',
    ['allow', 'allow', 'require_approval'],
  ],
];

describe('an evaluation', () => {
  it.each(OVERALL)('%s', (_name, request, decision, outcomes) => {
    const answer = evaluate(request);
    expect(answer.decision).toBe(decision);
    expect(answer.rules.map(({ outcome }) => outcome)).toEqual(outcomes);
  });

  it('becomes a response of decision and rules: rule, outcome and detail, in this order', () => {
    const answer = toResponse(evaluate({ request_id: 'r-1', connector: {} }));
    expect(Object.keys(answer)).toEqual(['decision', 'rules']);
    for (const rule of answer.rules)
      expect(Object.keys(rule)).toEqual(['rule', 'outcome', 'detail']);
    for (const { detail } of answer.rules) expect(detail).toMatch(/\S/);
  });
});

describe('every section crossed with every other', () => {
  it('is answered word for word', () => {
    expect(CROSSED_CASES.length).toBe(1_296);
    expectAnswers(CROSSED_CASES);
  });
});
