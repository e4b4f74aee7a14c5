import { describe, expect, it } from 'vitest';
import { checkPolicy, defaultProfile, evaluatePolicy, type Profile } from '../src/index.ts';
import { STRICTNESS } from './support/decision-table.ts';

const strict: Profile = {
  ...defaultProfile,
  spend: { autoAllowMajorUnits: 0, ceilingMajorUnits: 1 },
};

describe('a profile', () => {
  it('is the default one when none is given', () => {
    const request = { spend: { amount_minor_units: 8_750, currency: 'EUR' } };
    expect(evaluatePolicy(request, defaultProfile)).toEqual(evaluatePolicy(request));
  });

  it.each([
    [0, 'allow'],
    [1, 'require_approval'],
    [100, 'require_approval'],
    [101, 'deny'],
  ] as const)('of limit 0 and ceiling 1: EUR %i minor units: %s', (amount, outcome) => {
    const request = { spend: { amount_minor_units: amount, currency: 'EUR' } };
    expect(evaluatePolicy(request, strict).rules[0]?.outcome).toBe(outcome);
    expect(checkPolicy(request, strict)).toEqual({
      ok: true,
      response: evaluatePolicy(request, strict),
    });
  });
});

/**
 * What a gateway in untyped code could pass by mistake: the schema refuses it,
 * `evaluatePolicy` must not allow it.
 */
const UNCHECKED: [name: string, request: string, rule: number][] = [
  ['an unknown currency', '{"spend":{"amount_minor_units":1,"currency":"ZZZ"}}', 0],
  ['no currency', '{"spend":{"amount_minor_units":1,"user_limit_minor_units":5}}', 0],
  ['no amount', '{"spend":{"currency":"EUR"}}', 0],
  ['a negative amount', '{"spend":{"amount_minor_units":-1,"currency":"EUR"}}', 0],
  ['an amount as text', '{"spend":{"amount_minor_units":"1","currency":"EUR"}}', 0],
  [
    'a limit as text',
    '{"spend":{"amount_minor_units":10001,"currency":"EUR","user_limit_minor_units":"90000"}}',
    0,
  ],
  ['an unknown category', '{"pii":{"categories":["biometrics"]}}', 1],
  ['an inherited key as category', '{"pii":{"categories":["constructor"]}}', 1],
  ['an unknown flag', '{"legal":{"flags":["prohibited"]}}', 2],
];

describe('evaluatePolicy on a request that nobody checked', () => {
  it.each(UNCHECKED)('never allows %s', (_name, request, rule) => {
    const outcome = evaluatePolicy(JSON.parse(request)).rules[rule]?.outcome ?? 'allow';
    expect(STRICTNESS.indexOf(outcome)).toBeGreaterThan(0);
  });
});
