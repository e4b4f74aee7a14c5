import { describe, expect, it } from 'vitest';
import {
  type Check,
  completeProfile,
  decisionRecord,
  defaultProfile,
  evaluate,
  type Profile,
  toExplanation,
} from '../src/index.ts';
import { readValid } from './support/answers.ts';

const explain = (request: object, profile?: Profile) =>
  toExplanation(evaluate(request as Check, profile));

const spend = (amount_minor_units: number, user_limit_minor_units?: number) => ({
  spend: { amount_minor_units, currency: 'eur', user_limit_minor_units },
});
const compared = (amount: number, limit = 10_000) => ({
  currency: 'EUR',
  amount_minor_units: amount,
  limit_minor_units: limit,
  ceiling_minor_units: 50_000,
});
const tooMuch = (code: string, values: object, most: number) => ({
  ...{ code, ...values, remedy: { max_amount_minor_units: most } },
});
const use_scopes = defaultProfile.connector.allow;

const notAllowed = (outcomes: object) =>
  Object.keys(outcomes).filter((label) => Reflect.get(outcomes, label) !== 'allow');
const categoriesOf = (code: string, categories: object) => ({
  code,
  categories,
  remedy: { drop_categories: notAllowed(categories) },
});
const flagsOf = (code: string, flags: object) => ({
  code,
  flags,
  remedy: { drop_flags: notAllowed(flags) },
});

/** Requests, each with the index of a rule and the explanation expected for that rule. */
const ROWS: [request: object, rule: number, expected: object][] = [
  [{}, 0, { code: 'section_missing' }],
  [spend(10_000), 0, { code: 'within_limit', ...compared(10_000) }],
  [spend(10_001), 0, tooMuch('amount_above_limit', compared(10_001), 10_000)],
  [spend(50_001, 60_000), 0, tooMuch('amount_above_ceiling', compared(50_001, 60_000), 50_000)],
  [spend(-1), 0, { code: 'amount_not_exact' }],
  [{ pii: { categories: [] } }, 1, { code: 'nothing_claimed', categories: {} }],
  [
    { pii: { categories: ['other', 'other'] } },
    1,
    { code: 'categories_allowed', categories: { other: 'allow' } },
  ],
  [
    { pii: { categories: ['health', 'location'] } },
    1,
    categoriesOf('category_needs_approval', { health: 'require_approval', location: 'allow' }),
  ],
  [
    { pii: { categories: ['health', 'biometric'] } },
    1,
    categoriesOf('category_denied', { health: 'require_approval', biometric: 'deny' }),
  ],
  [
    { pii: { categories: ['new', 'other'] } },
    1,
    categoriesOf('category_unknown', { new: 'deny', other: 'allow' }),
  ],
  [{ legal: { flags: [] } }, 2, { code: 'nothing_claimed', flags: {} }],
  [{ legal: { flags: ['other'] } }, 2, { code: 'flags_allowed', flags: { other: 'allow' } }],
  [
    { legal: { flags: ['terms_unknown'] } },
    2,
    flagsOf('flag_needs_approval', { terms_unknown: 'require_approval' }),
  ],
  [
    { legal: { flags: ['new', 'prohibited_content'] } },
    2,
    flagsOf('flag_denied', { new: 'deny', prohibited_content: 'deny' }),
  ],
  [{ legal: { flags: ['constructor'] } }, 2, flagsOf('flag_unknown', { constructor: 'deny' })],
  [{ connector: {} }, 3, { code: 'scope_missing', remedy: { use_scopes: [...use_scopes] } }],
  [{ connector: { scope: ' mcp://crm ' } }, 3, { code: 'scope_allowed', scope: 'mcp://crm' }],
  [
    { connector: { scope: 'mcp://crm/x' } },
    3,
    { code: 'scope_unknown', scope: 'mcp://crm/x', remedy: { use_scopes: [...use_scopes] } },
  ],
  [
    { connector: { scope: 'mcp://ROOT/x' } },
    3,
    { code: 'scope_denied', scope: 'mcp://ROOT/x', remedy: { use_scopes: [...use_scopes] } },
  ],
];

describe('an explanation', () => {
  it('has the profile and digest, and an entry for the connector only if there is one', () => {
    const { profile, digest, rules } = explain({});
    expect([profile, digest]).toEqual(['default', expect.stringMatching(/^[0-9a-f]{64}$/)]);
    expect(rules.map(({ rule }) => rule)).toEqual([
      'spend_limit',
      'pii_guardrail',
      'legal_compliance',
    ]);
  });

  it('gives the compared values and the remedy of each rule', () => {
    for (const [request, rule, expected] of ROWS) {
      const { rule: _, ...explained } = explain(request).rules[rule] ?? {};
      expect(explained, JSON.stringify(request)).toEqual(expected);
    }
  });

  it('suggests the first 20 scopes that the profile allows by name', () => {
    const allow = Array.from({ length: 21 }, (_, n) => `mcp://s${n}`);
    const remedyFor = (lists: object) =>
      explain(
        { connector: { scope: 'mcp://team-pay' } },
        completeProfile({
          name: 'own',
          connector: { require_approval: ['mcp://team-pay'], ...lists },
        }),
      ).rules[3];
    expect(remedyFor({ allow })).toMatchObject({
      code: 'scope_needs_approval',
      remedy: { use_scopes: allow.slice(0, 20) },
    });
    expect(remedyFor({ allow: ['mcp://team-*'] })).not.toHaveProperty('remedy');
  });

  it('does not share objects with the next one', () => {
    const scopes = () => explain({ connector: {} }).rules[3]?.remedy?.use_scopes;
    scopes()?.push('mcp://root');
    expect(scopes()).toEqual(use_scopes);
  });

  it('explains a missing connector if the profile requires one', () => {
    const own = completeProfile({ name: 'own', connector: { missing: 'deny' } });
    expect(explain({}, own).rules[3]).toEqual({
      rule: 'connector_scope',
      code: 'section_missing',
    });
  });
});

const recordOf = (request: object) => decisionRecord(request as Check, evaluate(request as Check));

describe('a decision record', () => {
  it('has the checked sections and codes, but not amounts', () => {
    const record = recordOf({
      request_id: 'plan-7',
      ...spend(8_750),
      pii: { categories: ['health', 'health'] },
      legal: { flags: [] },
      connector: { scope: 'mcp://calendar' },
    });
    expect(record).toStrictEqual({
      caller_request_id: 'plan-7',
      profile: 'default',
      digest: explain({}).digest,
      decision: 'require_approval',
      rules: {
        spend_limit: { outcome: 'allow', code: 'within_limit' },
        pii_guardrail: { outcome: 'require_approval', code: 'category_needs_approval' },
        legal_compliance: { outcome: 'allow', code: 'nothing_claimed' },
        connector_scope: { outcome: 'allow', code: 'scope_allowed' },
      },
      pii: { categories: ['health'] },
      legal: { flags: [] },
      connector: { scope: 'mcp://calendar' },
    });
  });

  it('leaves out absent sections', () => {
    expect(Object.keys(recordOf({ request_id: null, connector: null }))).toEqual([
      'profile',
      'digest',
      'decision',
      'rules',
    ]);
  });

  it('has an action without its query and body, and what its rule states', () => {
    const own = completeProfile({
      name: 'own',
      actions: {
        rules: [
          {
            host: 'a.test',
            outcome: 'allow',
            facts: {
              spend: { amount_minor_units: '/body/cents', currency: 'EUR' },
              pii: { categories: ['health'] },
            },
          },
        ],
      },
    });
    const action = { method: 'post', url: 'https://a.test:81/x?secret', body: { cents: 8_750 } };
    const recorded = (claims: object, withAmounts?: boolean, more: object = {}) => {
      const check = readValid({ ...claims, action: { ...action, ...more } });
      return decisionRecord(check, evaluate(check, own), withAmounts);
    };
    const labels = { pii: { categories: ['location'] }, legal: { flags: ['other'] } };
    const record = recorded({ ...spend(5), ...labels });
    expect(record).toMatchObject({
      action: {
        method: 'POST',
        host: 'a.test:81',
        path: '/x',
        digest: expect.stringMatching(/^[\w-]{43}$/),
      },
      pii: { categories: ['location', 'health'] },
      legal: { flags: ['other'] },
    });
    expect(record).not.toHaveProperty('spend');
    expect(JSON.stringify(record)).not.toMatch(/secret|8750|cents/);

    const EUR = (amount_minor_units: number) => ({ amount_minor_units, currency: 'EUR' });
    const spentIn = (...args: Parameters<typeof recorded>) => recorded(...args).spend;
    expect(spentIn({}, true)).toEqual(EUR(8_750));
    expect(spentIn(spend(8_749), true)).toEqual(EUR(8_750));
    expect(spentIn(spend(8_751), true)).toEqual({ ...EUR(8_751), currency: 'eur' });
    expect(spentIn({ spend: { ...EUR(9_000), currency: 'USD' } }, true)).toEqual(EUR(8_750));
    const dear = { spend: { ...EUR(90_000), currency: 'USD' } };
    expect(spentIn(dear, true)).toEqual(dear.spend);
    expect(spentIn(spend(1), true, { body: null })).toBeUndefined();
    expect(spentIn(spend(60_000), true, { body: null })).toMatchObject({
      amount_minor_units: 60_000,
    });
    expect(recorded({}, true, { url: 'https://a.test/a/../b?c' }).action?.path).toBe('/a/../b');
  });

  it.each([
    ['mcp://?SECRET', 'mcp://?…'],
    [' mcp://Secrets/prod?token=s3cret ', 'mcp://Secrets/…'],
    ['mcp://crm?token=s3cret', 'mcp://crm?…'],
    ['mcp://user@s3cret', 'mcp://user@…'],
    ['https://user:s3cret@host', 'https:…'],
    ['mcp://crm', 'mcp://crm'],
    ['MCP://CRM', 'MCP://CRM'],
    ['Bearer s3cret', 'Bearer …'],
    ['x'.repeat(256), 'x'.repeat(256)],
    ['x'.repeat(257), `${'x'.repeat(256)}…`],
    ['\uD800', '\uFFFD'],
    ['  ', undefined],
    [null, undefined],
  ])('shows of the scope %j no more than its name', (scope, shown) => {
    const { connector } = recordOf({ connector: { scope } });
    expect(connector).toStrictEqual(shown === undefined ? {} : { scope: shown });
  });
});
