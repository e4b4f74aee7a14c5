import type { CheckRequest } from '@gatehouse/contracts';
import { describe, expect, it } from 'vitest';
import { checkPolicy, defaultProfile, evaluatePolicy, type Profile } from '../src/index.ts';
import { CONNECTOR_CASES, LEGAL_CASES, PII_CASES } from './support/cases.ts';
import { type CheckInput, STRICTNESS } from './support/decision-table.ts';

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

describe('a profile is plain data', () => {
  it('and is the same after a way through JSON', () => {
    const copy: Profile = JSON.parse(JSON.stringify(defaultProfile));
    expect(copy).toEqual(defaultProfile);
    for (const { request } of [...PII_CASES, ...LEGAL_CASES, ...CONNECTOR_CASES])
      expect(evaluatePolicy(request, copy)).toEqual(evaluatePolicy(request));
  });

  it('whose labels and scopes can be chosen', () => {
    const { piiCategories, connectorScopes } = defaultProfile;
    const profile: Profile = {
      ...defaultProfile,
      piiCategories: {
        ...piiCategories,
        outcomes: { ...piiCategories.outcomes, location: 'deny' },
      },
      connectorScopes: { allowed: ['billing', 'a.b'], denied: [...connectorScopes.allowed] },
    };
    const outcomes = (pii: NonNullable<CheckInput['pii']>, scope: string) =>
      evaluatePolicy({ pii, connector: { scope } }, profile).rules.map(({ outcome }) => outcome);
    const unset = 'require_approval';
    expect(outcomes({ categories: ['location'] }, 'mcp://billing')).toEqual([
      unset,
      'deny',
      unset,
      'allow',
    ]);
    expect(outcomes({ categories: ['other'] }, 'mcp://calendar')).toEqual([
      unset,
      'allow',
      unset,
      'deny',
    ]);
    expect(outcomes({ categories: [] }, 'mcp://a.b')).toEqual([unset, 'allow', unset, 'allow']);
    expect(outcomes({ categories: [] }, 'mcp://axb')).toEqual([unset, 'allow', unset, unset]);
  });

  it('which lists no scope at all', () => {
    const profile = { ...defaultProfile, connectorScopes: { allowed: [], denied: [] } };
    for (const scope of ['mcp://', 'mcp://calendar', 'mcp://root', 'mcp:///'])
      expect(evaluatePolicy({ connector: { scope } }, profile).rules[3]?.outcome, scope).toBe(
        'require_approval',
      );
  });

  it('of 64 labels, each judged by its own outcome', () => {
    const labels = Array.from({ length: 64 }, (_, n) => `label_${n}`);
    const outcomes = Object.fromEntries(
      labels.map((label, n) => [label, STRICTNESS[n % 3] ?? 'deny']),
    );
    const profile: Profile = { ...defaultProfile, legalFlags: { outcomes, unknown: 'deny' } };
    const judged = (flags: string[]) => checkUnchecked({ legal: { flags } }, profile, 2);
    for (const label of labels) expect(judged([label]).outcome, label).toBe(outcomes[label]);
    expect(judged(labels.toReversed()).detail).toBe(
      `Legal flags: ${labels.join(', ')}. Denied because of ${labels.filter((_, n) => n % 3 === 2).join(', ')}.`,
    );
  });
});

describe('a label that the profile does not know', () => {
  const judged = (unknown: 'deny' | 'require_approval', categories: string[]) => {
    const piiCategories = { outcomes: { odd: 'allow', grave: 'deny' }, unknown } as const;
    return checkUnchecked({ pii: { categories } }, { ...defaultProfile, piiCategories }, 1);
  };

  it.each([
    ['deny', ['new'], 'deny', 'one is unknown to the policy and denied.'],
    ['deny', ['odd', 'new'], 'deny', 'one is unknown to the policy and denied.'],
    ['deny', ['grave', 'new'], 'deny', 'grave. Denied because of grave.'],
    [
      'require_approval',
      ['new'],
      'require_approval',
      'one is unknown to the policy and needs approval.',
    ],
    ['require_approval', ['new', 'grave'], 'deny', 'grave. Denied because of grave.'],
    ['deny', ['odd'], 'allow', 'odd. All are allowed.'],
    ['deny', ['toString'], 'deny', 'one is unknown to the policy and denied.'],
  ] as const)('unknown: %s, labels %j: %s', (unknown, labels, outcome, detail) => {
    expect(judged(unknown, [...labels])).toEqual({
      rule: 'pii_guardrail',
      outcome,
      detail: `PII categories: ${detail}`,
    });
  });
});

/** The answer of one rule to a request that the schema need not take. */
function checkUnchecked(request: unknown, profile: Profile, rule: number) {
  return evaluatePolicy(request as CheckRequest, profile).rules[rule] ?? expect.fail('no answer');
}

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
