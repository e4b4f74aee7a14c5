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

const MAX = Number.MAX_SAFE_INTEGER;
const NOT_EXACT = 'Amount and limit must be whole minor units of a currency of ISO 4217.';
const UNKNOWN_CATEGORY = 'PII categories: one is unknown to the policy and denied.';
const spend = (amount: unknown, currency?: unknown, limit?: unknown) => ({
  spend: { amount_minor_units: amount, currency, user_limit_minor_units: limit },
});

/** What a gateway in untyped code could pass by mistake, and the schema would refuse. */
const UNCHECKED: [name: string, request: object, rule: number, detail: string][] = [
  ['an unknown currency', spend(1, 'ZZZ'), 0, NOT_EXACT],
  ['gold, which has no minor units', spend(1, 'XAU'), 0, NOT_EXACT],
  ['drawing rights', spend(1, 'XDR'), 0, NOT_EXACT],
  ['no currency', spend(1, undefined, 5), 0, NOT_EXACT],
  ['no amount', spend(undefined, 'EUR'), 0, NOT_EXACT],
  ['a negative amount', spend(-1, 'EUR'), 0, NOT_EXACT],
  ['a fraction', spend(0.5, 'EUR'), 0, NOT_EXACT],
  ['an amount above 2^53-1', spend(MAX + 1, 'EUR', 5), 0, NOT_EXACT],
  ['an amount as text', spend('1', 'EUR'), 0, NOT_EXACT],
  ['a limit as text', spend(10_001, 'EUR', '90000'), 0, NOT_EXACT],
  ['a negative limit', spend(1, 'EUR', -1), 0, NOT_EXACT],
  ['a limit above 2^53-1', spend(1, 'EUR', MAX + 1), 0, NOT_EXACT],
  ['a fraction as limit', spend(1, 'EUR', 1.5), 0, NOT_EXACT],
  ['an unknown category', { pii: { categories: ['biometrics'] } }, 1, UNKNOWN_CATEGORY],
  ['one among known ones', { pii: { categories: ['other', 'x'] } }, 1, UNKNOWN_CATEGORY],
  ['an inherited key', { pii: { categories: ['constructor'] } }, 1, UNKNOWN_CATEGORY],
  [
    'an unknown flag',
    { legal: { flags: ['prohibited'] } },
    2,
    'Legal flags: one is unknown to the policy and denied.',
  ],
];

describe('evaluatePolicy on a request that nobody checked', () => {
  it.each(UNCHECKED)('denies %s, and says why', (_name, request, rule, detail) => {
    const { outcome, detail: said } = checkUnchecked(request, defaultProfile, rule);
    expect([outcome, said]).toEqual(['deny', detail]);
  });

  it.each([0, MAX])('takes an amount of %i', (amount) => {
    const { detail } = checkUnchecked(spend(amount, 'JPY', MAX), defaultProfile, 0);
    expect(detail).toContain(`JPY ${amount} is `);
  });
});

describe('limits that are no numbers never allow', () => {
  it.each([
    ['the ceiling', { autoAllowMajorUnits: 100, ceilingMajorUnits: Number.NaN }],
    ['the limit', { autoAllowMajorUnits: Number.NaN, ceilingMajorUnits: 500 }],
    ['a limit below 0', { autoAllowMajorUnits: -1, ceilingMajorUnits: 500 }],
  ])('%s', (_name, limits) => {
    const profile = { ...defaultProfile, spend: limits };
    expect(checkUnchecked(spend(1, 'EUR'), profile, 0).outcome).toBe('deny');
  });
});
