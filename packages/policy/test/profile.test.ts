import { describe, expect, it } from 'vitest';
import {
  type Check,
  compileProfile,
  completeProfile,
  defaultProfile,
  evaluate,
  type Profile,
  type ProfileSource,
  toResponse,
} from '../src/index.ts';
import type { Verdict } from './support/decision-table.ts';

const withSpend = (spend: NonNullable<ProfileSource['spend']>) =>
  completeProfile({ name: 'own', spend });

/** Returns the result of one rule for a request that the schema may refuse. */
function checkUnchecked(request: unknown, profile: Profile, rule: number) {
  return evaluate(request as Check, profile).rules[rule] ?? expect.fail('no answer');
}

describe('a profile', () => {
  it('is the default profile if none is given', () => {
    const request = { spend: { amount_minor_units: 8_750, currency: 'EUR' } };
    expect(evaluate(request, defaultProfile)).toEqual(evaluate(request));
  });

  it('equals the default profile if it sets only a name', () => {
    expect(completeProfile({ name: 'own' })).toEqual({ ...defaultProfile, name: 'own' });
  });

  it('survives conversion to JSON and back', () => {
    const copy: Profile = JSON.parse(JSON.stringify(defaultProfile));
    expect(compileProfile(copy).digest).toBe(compileProfile(defaultProfile).digest);
  });

  it('is read once, so that a later change has no effect', () => {
    const profile = structuredClone(defaultProfile);
    const outcome = () => checkUnchecked(spend(50_001, 'EUR'), profile, 0).outcome;
    expect(outcome()).toBe('deny');
    Object.assign(profile.spend, { ceiling_major_units: 1_000, max_user_limit_major_units: 0 });
    Object.assign(profile.pii.categories, { biometric: 'allow' });
    expect(outcome()).toBe('deny');
    expect(checkUnchecked({ pii: { categories: ['biometric'] } }, profile, 1).outcome).toBe('deny');
    expect(checkUnchecked(spend(50_001, 'EUR'), { ...profile }, 0).outcome).toBe(
      'require_approval',
    );
  });
});

/** [currency, amount, user limit, outcome, what the detail ends with] */
type SpendRow = [string, number, number | undefined, Verdict, string];

function expectSpending(profile: Profile, rows: readonly SpendRow[]): void {
  for (const [currency, amount, limit, outcome, end] of rows) {
    const answer = checkUnchecked(spend(amount, currency, limit), profile, 0);
    const name = `${currency} ${amount}, own limit ${limit}`;
    expect([name, answer.outcome], name).toEqual([name, outcome]);
    expect(answer.detail, name).toContain(end);
  }
}

describe('the limits of a profile', () => {
  it('apply in every currency', () => {
    expectSpending(withSpend({ limit_major_units: 0, ceiling_major_units: 1 }), [
      ['EUR', 0, undefined, 'allow', 'the limit of EUR 0.00.'],
      ['EUR', 1, undefined, 'require_approval', 'the limit of EUR 0.00 '],
      ['EUR', 100, undefined, 'require_approval', ''],
      ['EUR', 101, undefined, 'deny', 'the ceiling of EUR 1.00.'],
      ['JPY', 1, undefined, 'require_approval', ''],
      ['JPY', 2, undefined, 'deny', 'the ceiling of JPY 1.'],
    ]);
  });

  it('may differ by currency, and have defaults', () => {
    const currencies = {
      JPY: { limit_minor_units: 15_000, ceiling_minor_units: 75_000 },
      KWD: { limit_minor_units: 12_345 },
    };
    expectSpending(withSpend({ currencies }), [
      ['JPY', 15_000, undefined, 'allow', 'the limit of JPY 15000.'],
      ['jpy', 15_001, undefined, 'require_approval', ''],
      ['JPY', 75_000, 75_000, 'require_approval', 'the limit of JPY 15000 '],
      ['JPY', 75_001, 80_000, 'deny', 'the ceiling of JPY 75000.'],
      ['KWD', 12_346, undefined, 'require_approval', 'the limit of KWD 12.345 '],
      ['KWD', 500_001, undefined, 'deny', 'the ceiling of KWD 500.000.'],
      ['EUR', 10_001, undefined, 'require_approval', 'the limit of EUR 100.00 '],
    ]);
  });

  it('can only be lowered by a request if the profile sets them, unless it says otherwise', () => {
    expectSpending(withSpend({ limit_major_units: 80 }), [
      ['EUR', 8_001, 50_000, 'require_approval', 'the limit of EUR 80.00 '],
      ['EUR', 8_000, 50_000, 'allow', 'the limit of EUR 80.00.'],
      ['EUR', 6_000, 5_000, 'require_approval', 'the limit of EUR 50.00 '],
    ]);
    expectSpending(withSpend({ currencies: { USD: { limit_minor_units: 5_000 } } }), [
      ['USD', 5_001, 50_000, 'require_approval', 'the limit of USD 50.00 '],
      ['EUR', 50_000, 50_000, 'allow', 'the limit of EUR 500.00.'],
    ]);
    const currencies = { USD: { ceiling_minor_units: 60_000 } };
    expectSpending(withSpend({ limit_major_units: 80, currencies }), [
      ['USD', 8_001, 60_000, 'require_approval', 'the limit of USD 80.00 '],
    ]);
    expectSpending(withSpend({ ceiling_major_units: 600, currencies }), [
      ['USD', 60_000, 60_000, 'allow', 'the limit of USD 600.00.'],
    ]);
    expectSpending(withSpend({ limit_major_units: 80, max_user_limit_major_units: 90 }), [
      ['EUR', 9_000, 50_000, 'allow', 'the limit of EUR 90.00.'],
      ['EUR', 9_001, 50_000, 'require_approval', 'the limit of EUR 90.00 '],
    ]);
  });

  it('may bound the limit that a request sets', () => {
    expectSpending(withSpend({ max_user_limit_major_units: 200 }), [
      ['EUR', 20_000, 50_000, 'allow', 'the limit of EUR 200.00.'],
      ['EUR', 20_001, 50_000, 'require_approval', 'the limit of EUR 200.00 '],
      ['EUR', 20_000, 19_999, 'require_approval', 'the limit of EUR 199.99 '],
      ['EUR', 1, 0, 'require_approval', 'the limit of EUR 0.00 '],
    ]);
    const currencies = { USD: { max_user_limit_minor_units: 30_000 } };
    expectSpending(withSpend({ max_user_limit_major_units: 0, currencies }), [
      ['EUR', 10_001, 50_000, 'require_approval', 'the limit of EUR 100.00 '],
      ['EUR', 10_000, 50_000, 'allow', 'the limit of EUR 100.00.'],
      ['EUR', 6_000, 5_000, 'require_approval', 'the limit of EUR 50.00 '],
      ['USD', 30_000, 50_000, 'allow', 'the limit of USD 300.00.'],
      ['USD', 30_001, 50_000, 'require_approval', ''],
    ]);
    const kuwait = { KWD: { limit_minor_units: 1 } };
    expectSpending(withSpend({ max_user_limit_major_units: 200, currencies: kuwait }), [
      ['KWD', 2, 500_000, 'allow', 'the limit of KWD 200.000.'],
    ]);
  });

  it('apply to a currency code in upper or lower case', () => {
    expectSpending(withSpend({ max_user_limit_major_units: 200 }), [
      ['kwd', 100_000, undefined, 'allow', 'the limit of KWD 100.000.'],
      ['kwd', 500_000, 900_000, 'require_approval', 'the limit of KWD 200.000 '],
      ['kwd', 500_001, 900_000, 'deny', 'the ceiling of KWD 500.000.'],
    ]);
  });

  it('let callers raise their limit up to the ceiling by default', () => {
    expectSpending(withSpend({ ceiling_major_units: 1_000 }), [
      ['EUR', 100_000, 100_000, 'allow', ''],
      ['EUR', 100_000, 200_000, 'allow', 'the limit of EUR 2000.00.'],
      ['EUR', 100_001, 200_000, 'deny', ''],
    ]);
  });

  it.each(['JPY', 'EUR', 'CLF'])('are shown exactly in %s, even the largest', (currency) => {
    const most = { limit_major_units: MAX_MAJOR, ceiling_major_units: MAX_MAJOR };
    const { outcome, detail } = checkUnchecked(spend(1, currency), withSpend(most), 0);
    expect([outcome, detail]).toEqual([
      'allow',
      expect.stringMatching(`is within the limit of ${currency} ${MAX_MAJOR}[.0]*$`),
    ]);
  });
});

describe('the labels of a profile', () => {
  it('get the outcomes of the profile, and are reported in the order of the contract', () => {
    const profile = completeProfile({
      name: 'own',
      pii: { categories: { other: 'deny', location: 'deny', biometric: 'allow' } },
      legal: { flags: { prohibited_content: 'require_approval' } },
    });
    const request = {
      pii: { categories: ['other', 'location', 'biometric', 'other'] },
      legal: { flags: ['prohibited_content', 'other'] },
    };
    const details = evaluate(request as Check, profile).rules.map(({ detail }) => detail);
    expect(details.slice(1)).toEqual([
      'PII categories location and other are denied; the request also lists: biometric.',
      'Legal flag prohibited_content needs approval; the request also lists: other.',
    ]);
  });
});

describe('a missing section', () => {
  it('needs approval, or is denied if the profile says so', () => {
    const missing = 'deny';
    const profile = completeProfile({
      name: 'own',
      spend: { missing },
      pii: { missing },
      legal: { missing },
      connector: { missing },
    });
    expect(toResponse(evaluate({}, profile))).toEqual({
      decision: 'deny',
      rules: [
        ['spend_limit', 'The request has no spend section, so the cost of the action is unknown.'],
        [
          'pii_guardrail',
          'The request has no pii section, so the personal data involved is unknown.',
        ],
        ['legal_compliance', 'The request has no legal section, so its legal flags are unknown.'],
        ['connector_scope', 'The request has no connector section, so the connector is unknown.'],
      ].map(([rule, detail]) => ({ rule, outcome: 'deny', detail })),
    });
  });
});

const SCOPES: NonNullable<ProfileSource['connector']> = {
  deny: ['mcp://team-secret', 'mcp://vault-*', 'mcp://A.b'],
  require_approval: ['mcp://team-pay', 'mcp://bank-*'],
  allow: ['mcp://team-*', 'mcp://files', 'mcp://bank*'],
};

/** [scope, outcome if unlisted scopes need approval, outcome if they are denied] */
const SCOPE_ROWS: [string, Verdict, Verdict][] = [
  ['mcp://files', 'allow', 'allow'],
  ['mcp://team-', 'allow', 'allow'],
  [' MCP://Team-A.b_c-9 ', 'allow', 'allow'],
  ['mcp://team-pays', 'allow', 'allow'],
  ['mcp://bank', 'allow', 'allow'],
  ['mcp://banker', 'allow', 'allow'],
  ['mcp://bank-', 'require_approval', 'require_approval'],
  ['mcp://bank-x', 'require_approval', 'require_approval'],
  ['mcp://bank-x/y', 'require_approval', 'deny'],
  ['mcp://TEAM-PAY', 'require_approval', 'require_approval'],
  ['mcp://team-pay/x', 'require_approval', 'deny'],
  ['mcp://team-a/x', 'require_approval', 'deny'],
  ['mcp://team-a\n', 'allow', 'allow'],
  ['mcp://team-a b', 'require_approval', 'deny'],
  ['mcp://team-\u017F', 'require_approval', 'deny'],
  ['mcp://team', 'require_approval', 'deny'],
  ['mcp://axb', 'require_approval', 'deny'],
  ['', 'require_approval', 'deny'],
  ['mcp://', 'require_approval', 'deny'],
  ['mcp://*', 'require_approval', 'deny'],
  ['mcp://team-*', 'require_approval', 'deny'],
  ['mcp://team-secret', 'deny', 'deny'],
  ['mcp://team-secret@x', 'deny', 'deny'],
  ['mcp://team-secrets', 'allow', 'allow'],
  ['mcp://a.B/', 'deny', 'deny'],
  ['mcp://vault-', 'deny', 'deny'],
  ['mcp://VAULT-x:1', 'deny', 'deny'],
  ['mcp://vault-\u00e9 b', 'deny', 'deny'],
  ['mcp://vault', 'require_approval', 'deny'],
];

describe('the scopes of a profile', () => {
  it('match exactly or by prefix; denied scopes match with anything after the name', () => {
    const asking = completeProfile({ name: 'own', connector: SCOPES });
    const denying = completeProfile({ name: 'own', connector: { ...SCOPES, unlisted: 'deny' } });
    for (const [scope, asked, denied] of SCOPE_ROWS) {
      const request = { connector: { scope } };
      expect([scope, checkUnchecked(request, asking, 3).outcome]).toEqual([scope, asked]);
      expect([scope, checkUnchecked(request, denying, 3).outcome]).toEqual([scope, denied]);
    }
  });

  it('can allow every well-formed scope', () => {
    const profile = completeProfile({ name: 'own', connector: { deny: [], allow: ['mcp://*'] } });
    const outcome = (scope: string) => checkUnchecked({ connector: { scope } }, profile, 3).outcome;
    expect([outcome('mcp://root'), outcome('mcp://'), outcome('mcp://a/b')]).toEqual([
      'allow',
      'allow',
      'require_approval',
    ]);
  });

  it('appear in the detail with their outcome', () => {
    const profile = completeProfile({ name: 'own', connector: { ...SCOPES, unlisted: 'deny' } });
    const detail = (scope: string) => checkUnchecked({ connector: { scope } }, profile, 3).detail;
    expect(['', 'mcp://x', 'mcp://team-pay', 'mcp://A.b'].map(detail)).toEqual([
      'The connector has no scope and is denied.',
      'Scope mcp://x is not on any list in the profile, so it is denied.',
      'Scope mcp://team-pay needs consent.',
      'Scope mcp://A.b is sensitive and denied.',
    ]);
  });

  it.each([
    ['none at all', { allow: [], deny: [] }],
    ['only prefixes, none of them empty', { allow: ['mcp://team-*'], deny: ['mcp://vault-*'] }],
  ])('may be %s', (_name, connector) => {
    const profile = completeProfile({ name: 'own', connector });
    for (const scope of ['mcp://', 'mcp://calendar', 'mcp://root', 'mcp:///', '/x'])
      expect(checkUnchecked({ connector: { scope } }, profile, 3).outcome, scope).toBe(
        'require_approval',
      );
  });
});

const MAX_MAJOR = 900_719_925_474;
const MAX = Number.MAX_SAFE_INTEGER;
const NOT_EXACT =
  'The amount and the limit must be whole numbers of minor units of an ISO 4217 currency.';
const UNKNOWN_CATEGORY = 'PII categories include an unknown value, so the action is denied.';
const spend = (amount: unknown, currency?: unknown, limit?: unknown) => ({
  spend: { amount_minor_units: amount, currency, user_limit_minor_units: limit },
});

/** Requests that untyped code could pass and that the schema would refuse. */
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
  ['a prototype', { pii: { categories: ['__proto__'] } }, 1, UNKNOWN_CATEGORY],
  [
    'an unknown flag',
    { legal: { flags: ['prohibited'] } },
    2,
    'Legal flags include an unknown value, so the action is denied.',
  ],
];

describe('evaluate on a request that was not validated', () => {
  it.each(UNCHECKED)('denies %s with the reason', (_name, request, rule, detail) => {
    const { outcome, detail: said } = checkUnchecked(request, defaultProfile, rule);
    expect([outcome, said]).toEqual(['deny', detail]);
  });

  it.each([0, MAX])('accepts an amount of %i', (amount) => {
    const { detail } = checkUnchecked(spend(amount, 'JPY', MAX), defaultProfile, 0);
    expect(detail).toContain(`JPY ${amount} is `);
  });
});
