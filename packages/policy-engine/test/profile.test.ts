import type { CheckRequest, Outcome } from '@gatehouse/contracts';
import { describe, expect, it } from 'vitest';
import {
  checkPolicy,
  compileProfile,
  defaultProfile,
  evaluatePolicy,
  InvalidProfile,
  type Profile,
} from '../src/index.ts';
import { stricter } from '../src/rule.ts';
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

const { spend: limits, piiCategories, legalFlags } = defaultProfile;
const MAX_MAJOR = 900_719_925_474;
const limited = (autoAllowMajorUnits: unknown, ceilingMajorUnits: unknown) => ({
  ...defaultProfile,
  spend: { autoAllowMajorUnits, ceilingMajorUnits },
});
const labelled = (outcomes: object) => ({
  ...defaultProfile,
  piiCategories: { ...piiCategories, outcomes: { ...piiCategories.outcomes, ...outcomes } },
});
const scoped = (allowed: unknown, denied: unknown = []) => ({
  ...defaultProfile,
  connectorScopes: { allowed, denied },
});
const otherwise = (unknown: unknown) => ({
  ...defaultProfile,
  legalFlags: { ...legalFlags, unknown },
});
const NAME = 'must be the `<name>` of `mcp://<name>`: letters, digits, `.`, `_` and `-`';
const LIMIT = '/spend/autoAllowMajorUnits';
const CEILING = '/spend/ceilingMajorUnits';
const BIOMETRIC = '/piiCategories/outcomes/biometric';

/** What untyped code or a file could pass by mistake, and the violations that it is told. */
const INVALID: [name: string, profile: unknown, ...violations: string[]][] = [
  ['null', null, 'The profile must be an object'],
  ['a list', [], 'The profile must be an object'],
  [
    'an empty section and no others',
    { spend: {} },
    '/piiCategories is required',
    '/legalFlags is required',
    '/connectorScopes is required',
    `${LIMIT} is required`,
    `${CEILING} is required`,
  ],
  ['no ceiling', limited(100, undefined), `${CEILING} is required`],
  ['a ceiling that is no number', limited(1, Number.NaN), `${CEILING} must be an integer`],
  ['a ceiling without end', limited(1, Number.POSITIVE_INFINITY), `${CEILING} must be an integer`],
  ['a limit as text', limited('1', 5), `${LIMIT} must be an integer`],
  ['a fraction', limited(0.5, 5), `${LIMIT} must be an integer`],
  ['a limit below 0', limited(-1, 5), `${LIMIT} must be at least 0`],
  ['a ceiling too large', limited(0, MAX_MAJOR + 1), `${CEILING} must be at most ${MAX_MAJOR}`],
  ['a ceiling below the limit', limited(5, 4), `${CEILING} must be at least the limit, 5`],
  [
    'an outcome in capitals',
    labelled({ biometric: 'DENY' }),
    `${BIOMETRIC} must be one of allow, require_approval, deny`,
  ],
  [
    'an outcome under an inherited name',
    labelled(JSON.parse('{"__proto__":"ask"}')),
    '/piiCategories/outcomes/__proto__ must be one of allow, require_approval, deny',
  ],
  ['no outcome for unknown labels', otherwise(undefined), '/legalFlags/unknown is required'],
  [
    'unknown labels allowed',
    otherwise('allow'),
    '/legalFlags/unknown must be one of require_approval, deny',
  ],
  [
    'a misspelt section',
    { ...defaultProfile, pii: piiCategories },
    '/pii is not a known member; known here: spend, piiCategories, legalFlags, connectorScopes',
  ],
  [
    'a misspelt member',
    { ...defaultProfile, spend: { ...limits, ceiling: 1 } },
    '/spend/ceiling is not a known member; known here: autoAllowMajorUnits, ceilingMajorUnits',
  ],
  ['one scope in place of a list', scoped('crm'), '/connectorScopes/allowed must be an array'],
  ['no list of denied scopes', scoped([], null), '/connectorScopes/denied must be an array'],
  ['a name that is no text', scoped([1]), `/connectorScopes/allowed/0 ${NAME}`],
  ...['', ' ', 'a b', 'root\n', 'mcp://root', 'root/', 'a:b', 'team-*', 'büro'].map(
    (name): [string, unknown, string] => [
      `a denied name of ${JSON.stringify(name)}`,
      scoped([], ['root', name]),
      `/connectorScopes/denied/1 ${NAME}`,
    ],
  ),
  [
    'several mistakes, each of them',
    { ...limited(5, 4), legalFlags: { outcomes: { other: 'no' }, unknown: 'deny' } },
    '/legalFlags/outcomes/other must be one of allow, require_approval, deny',
    `${CEILING} must be at least the limit, 5`,
  ],
  [
    'more mistakes than a problem lists',
    labelled(Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`l${n}`, 'no']))),
    ...Array.from(
      { length: 21 },
      (_, n) => `/piiCategories/outcomes/l${n} must be one of allow, require_approval, deny`,
    ),
  ],
];

describe('an invalid profile judges nothing', () => {
  it.each(INVALID)('%s', (_name, value, ...violations) => {
    const profile = value as Profile;
    const error = expect.objectContaining({
      name: 'InvalidProfile',
      message: ['Correct the profile.', ...violations].join('\n'),
    });
    // A profile is no better the second time.
    expect(() => compileProfile(profile)).toThrow(InvalidProfile);
    expect(() => compileProfile(profile)).toThrow(error);
    expect(() => evaluatePolicy({}, profile)).toThrow(error);
    expect(() => checkPolicy({}, profile)).toThrow(error);
    expect(() => checkPolicy('malformed', profile)).toThrow(error);
  });
});

describe('a valid profile', () => {
  it.each<[string, unknown]>([
    ['the default', defaultProfile],
    ['limit and ceiling of 0', limited(0, 0)],
    ['a ceiling that is the limit', limited(5, 5)],
    ['a ceiling just above the limit', limited(5, 6)],
    ['the largest limit', limited(MAX_MAJOR, MAX_MAJOR)],
    ['unknown labels that need approval', otherwise('require_approval')],
    ['no labels', { ...defaultProfile, legalFlags: { outcomes: {}, unknown: 'deny' } }],
    ['each outcome', labelled({ a: 'allow', b: 'require_approval', c: 'deny' })],
    ['each kind of character in a name', scoped(['A.b_c-9'], ['0'])],
  ])('%s', (_name, profile) => {
    expect(compileProfile(profile as Profile)).toHaveLength(4);
  });

  it.each(['JPY', 'EUR', 'CLF'])('shows its largest limit exactly in %s', (currency) => {
    const profile = limited(MAX_MAJOR, MAX_MAJOR) as Profile;
    const { outcome, detail } = checkUnchecked(spend(1, currency), profile, 0);
    expect([outcome, detail]).toEqual([
      'allow',
      expect.stringMatching(`is within the limit of ${currency} ${MAX_MAJOR}[.0]*$`),
    ]);
  });

  it('is read once: a later change has no effect', () => {
    const profile = structuredClone(defaultProfile);
    const judged = () => checkUnchecked(spend(50_001, 'EUR'), profile, 0).outcome;
    expect(judged()).toBe('deny');
    Object.assign(profile.spend, { ceilingMajorUnits: 1_000 });
    expect(judged()).toBe('deny');
    expect(checkUnchecked(spend(50_001, 'EUR'), { ...profile }, 0).outcome).toBe(
      'require_approval',
    );
  });
});

describe('an outcome that is none of the three', () => {
  it.each(['DENY', 'Allow', '', undefined, null, 'toString'])('counts as deny: %j', (outcome) => {
    const odd = outcome as Outcome;
    for (const other of STRICTNESS) {
      expect(stricter(odd, other)).toBe('deny');
      expect(stricter(other, odd)).toBe('deny');
    }
  });
});
