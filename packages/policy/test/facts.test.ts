import { JsonText } from '@gatehouse/contracts/json';
import { describe, expect, it } from 'vitest';
import {
  completeProfile,
  decisionRecord,
  evaluate,
  type Profile,
  toExplanation,
} from '../src/index.ts';
import { readValid } from './support/answers.ts';

const HOST = 'api.test';

const profileStating = (facts: object): Profile =>
  completeProfile({
    name: 'own',
    spend: { limit_major_units: 100, max_user_limit_major_units: 500 },
    actions: { rules: [{ host: HOST, outcome: 'allow', facts }] },
  });

const post = (body: unknown, more: object = {}) => {
  return { method: 'POST', url: `https://${HOST}/v1`, body, ...more };
};

/** Evaluates an action under a profile that states its spend. Returns the entry `spend_limit`. */
function spent(spend: unknown, action: object, claims: object = {}) {
  const evaluation = evaluate(readValid({ action, ...claims }), profileStating({ spend }));
  const { outcome, detail, code, facts } = evaluation.rules[0] ?? expect.fail('no rule');
  return { outcome, detail, code, ...facts };
}

const MINOR = { amount_minor_units: '/body/amount', currency: '/body/currency' };
const MAJOR = { amount_major_units: '/body/amount', currency: '/body/currency' };

/** [unit, amount, currency, amount in minor units or undefined if it counts as missing] */
const AMOUNTS: [typeof MINOR | typeof MAJOR, unknown, unknown, number | undefined][] = [
  [MINOR, 150, 'JPY', 150],
  [MINOR, 8750, 'EUR', 8750],
  [MINOR, 12345, 'kwd', 12345],
  [MINOR, 0, 'EUR', 0],
  [MINOR, 9007199254740991, 'EUR', 9007199254740991],
  [MINOR, 9007199254740992, 'EUR', undefined],
  [MINOR, -1, 'EUR', undefined],
  [MINOR, 87.5, 'EUR', undefined],
  [MINOR, '8750', 'EUR', undefined],
  [MINOR, true, 'EUR', undefined],
  [MINOR, [8750], 'EUR', undefined],
  [MINOR, null, 'EUR', undefined],
  [MAJOR, 150, 'JPY', 150],
  [MAJOR, '150', 'JPY', 150],
  [MAJOR, 150.5, 'JPY', undefined],
  [MAJOR, '150.0', 'JPY', undefined],
  [MAJOR, 87.5, 'EUR', 8750],
  [MAJOR, '87.50', 'EUR', 8750],
  [MAJOR, 87.05, 'EUR', 8705],
  [MAJOR, 1.15, 'EUR', 115],
  [MAJOR, 87.505, 'EUR', undefined],
  [MAJOR, '87.500', 'EUR', undefined],
  [MAJOR, 12.345, 'KWD', 12345],
  [MAJOR, '12.345', 'KWD', 12345],
  [MAJOR, 12.3456, 'KWD', undefined],
  [MAJOR, '12.3450', 'KWD', undefined],
  [MAJOR, '90071992547409.91', 'EUR', 9007199254740991],
  [MAJOR, '90071992547409.92', 'EUR', undefined],
  [MAJOR, '9007199254740991', 'JPY', 9007199254740991],
  [MAJOR, '9007199254740992', 'JPY', undefined],
  [MAJOR, '99999999999999999', 'JPY', undefined],
  [MAJOR, 1e21, 'JPY', undefined],
  [MAJOR, 1e-7, 'EUR', undefined],
  [MAJOR, '-1', 'EUR', undefined],
  [MAJOR, '+1', 'EUR', undefined],
  [MAJOR, '1e2', 'EUR', undefined],
  [MAJOR, '01', 'EUR', undefined],
  [MAJOR, '.5', 'EUR', undefined],
  [MAJOR, '5.', 'EUR', undefined],
  [MAJOR, '1,50', 'EUR', undefined],
  [MAJOR, ' 1', 'EUR', undefined],
  [MAJOR, '1\n', 'EUR', undefined],
  [MAJOR, '', 'EUR', undefined],
  [MAJOR, {}, 'EUR', undefined],
  [MINOR, 1, 'EUX', undefined],
  [MINOR, 1, 'XAU', undefined],
  [MINOR, 1, 978, undefined],
  [MINOR, 1, ['EUR'], undefined],
];

describe('an amount in an action', () => {
  it('is read exactly, or counts as missing', () => {
    for (const [spend, amount, currency, expected] of AMOUNTS) {
      const name = JSON.stringify([amount, currency]);
      const entry = spent(spend, post({ amount, currency }));
      if (expected === undefined)
        expect(entry, name).toEqual({
          outcome: 'require_approval',
          code: 'section_missing',
          detail: expect.stringMatching(
            /^The profile states spend, but `\/body\/\w+` is not .*, so the section counts as missing\.$/,
          ),
          stated_by: 'profile',
        });
      else
        expect(entry, name).toMatchObject({
          amount_minor_units: expected,
          currency: String(currency).toUpperCase(),
          stated_by: 'profile',
        });
    }
  });

  it.each<[string, object | string, object, reason: string]>([
    ['nothing', MINOR, post({ currency: 'EUR' }), '`/body/amount` is not in the action'],
    ['no body', MINOR, post(undefined), '`/body/currency` is not in the action'],
    [
      'text',
      MINOR,
      post({ amount: '5', currency: 'EUR' }),
      '`/body/amount` is not a whole number of minor units, at most 2^53-1 and not text',
    ],
    [
      'too many digits',
      MAJOR,
      post({ amount: 1.234, currency: 'EUR' }),
      '`/body/amount` is not an exact amount of EUR, that is, a number or decimal string with at most 2 decimals',
    ],
    [
      'any digits of JPY',
      MAJOR,
      post({ amount: '1.0', currency: 'JPY' }),
      '`/body/amount` is not an exact amount of JPY, that is, a number or decimal string with no decimals',
    ],
    [
      'an unknown currency',
      MINOR,
      post({ amount: 5, currency: 'EUX' }),
      '`/body/currency` is not the ISO 4217 code of a currency with minor units',
    ],
    [
      'a literal with too many digits',
      { amount_major_units: '1.005', currency: '/body/currency' },
      post({ currency: 'EUR' }),
      '`1.005` is not an exact amount of EUR, that is, a number or decimal string with at most 2 decimals',
    ],
  ])(
    'leads to missing `spend` if it is %s, and `detail` says why',
    (_name, spend, action, reason) => {
      expect(spent(spend, action).detail).toBe(
        `The profile states spend, but ${reason}, so the section counts as missing.`,
      );
    },
  );

  it('that the profile states itself is checked like any other', () => {
    for (const [amount, outcome, code] of [
      [{ amount_minor_units: 10_000 }, 'allow', 'within_limit'],
      [{ amount_minor_units: 10_001 }, 'require_approval', 'amount_above_limit'],
      [{ amount_major_units: 500 }, 'require_approval', 'amount_above_limit'],
      [{ amount_major_units: '500.01' }, 'deny', 'amount_above_ceiling'],
    ] as const)
      expect(spent({ ...amount, currency: 'eur' }, post(null))).toMatchObject({ outcome, code });
  });
});

const at = (amount_minor_units: string) => ({ amount_minor_units, currency: 'EUR' });
const CASE = 'leads through a member beside one whose name differs only in case';
const HEADER = 'leads to a header beside one whose name differs only in `-` and `_`';
const ABSENT = 'is not in the action';
const NO_MEMBER = 'does not begin with `/body`, `/headers` or `/query`';
const UNRELIABLE = 'is not what a rule can rely on';
const OWN_QUERY = 'cannot be relied on, because the URL has a query of its own';

describe('a JSON Pointer', () => {
  it.each<[pointer: string, action: object, expected: number | string]>([
    ['/body', post(5), 5],
    ['/body/a/1/b', post({ a: [{}, { b: 5 }] }), 5],
    ['/body/a/01/b', post({ a: [{}, { b: 5 }] }), ABSENT],
    ['/body/a/-', post({ a: [5] }), ABSENT],
    ['/body/a/length', post({ a: [5] }), ABSENT],
    ['/body/a~1b~0c', post({ 'a/b~c': 5 }), 5],
    ['/body/', post({ '': 5 }), 5],
    ['/body/toString', post({}), ABSENT],
    ['/body/a/b', post({ a: 'text' }), ABSENT],
    ['/body/amount', post({ Amount: 5 }), ABSENT],
    ['/body/amount', post({ amount: 5, Amount: 500 }), CASE],
    ['/body/amount', post({ AMOUNT: 5, amount: 5 }), CASE],
    ['/body/amount', post({ amount: 5, other: { Amount: 500 } }), 5],
    ['/body/pay/amount', post({ pay: { amount: 5 }, Pay: {} }), CASE],
    ['/body/risk', post({ risk: 5, 'ri\u017fk': 500 }), CASE],
    ['/body/risk', post({ risk: 5, 'ris\u212a': 500 }), CASE],
    ['/query/a', post(null, { query: { a: 5 } }), 5],
    ['/query/a', post(null, { query: { a: 5, A: 6 } }), CASE],
    ['/query/a', post(null, { query: { a: 5 }, url: `https://${HOST}/?b=1` }), OWN_QUERY],
    ['/query/a', post(null, { query: { a: 5 }, url: `https://${HOST}/?` }), OWN_QUERY],
    ['/body/a', post({ a: 5 }, { url: `https://${HOST}/?a=9` }), 5],
    ['/body', post('MTI=', { body_type: 'base64' }), 'is in a body that is sent as bytes'],
    ['/headers/x-api-key', post(null, { headers: { 'x-api-key': '5' } }), UNRELIABLE],
    ['/headers/Cookie', post(null, { headers: { Cookie: '5' } }), UNRELIABLE],
    ['/headers/x-a', post(null, { headers: { 'x-a': '5', x_a: '9' } }), HEADER],
    ['/headers/x_a', post(null, { headers: { 'X-A': '5', x_a: '9' } }), HEADER],
    ['/body/x-a', post({ 'x-a': 5, x_a: 9 }), 5],
    ['/max_bytes', post(null, { max_bytes: 64 }), NO_MEMBER],
    ['/amount', post({ amount: 5 }), NO_MEMBER],
    ['/bdy/amount', post({ amount: 5 }), NO_MEMBER],
  ])('%s into %j', (pointer, action, expected) => {
    const { detail, amount_minor_units } = spent(at(pointer), action);
    if (typeof expected === 'number') expect(amount_minor_units).toBe(expected);
    else expect(detail).toContain(`, but \`${pointer}\` ${expected}, so`);
  });

  it('can lead to a header', () => {
    const action = post(null, { headers: { 'x-amount': '5.00' } });
    const spend = { amount_major_units: '/headers/x-amount', currency: 'EUR' };
    expect(spent(spend, action)).toMatchObject({ amount_minor_units: 500 });
  });

  it('does not lead to a number of a query that a double would round', () => {
    const query = (amount: string) => new JsonText(`{"a":${amount}}`);
    const spend = { amount_major_units: '/query/a', currency: 'EUR' };
    expect(spent(spend, post(null, { query: query('1.50') })).amount_minor_units).toBe(150);
    const rounded = spent(spend, post(null, { query: query('1.5000000000000000001') }));
    expect(rounded.code).toBe('section_missing');
  });

  it('does not lead to a number of a query that servers may read differently', () => {
    const paid = (amount: string) => {
      const query = new JsonText(`{"a":${amount}}`);
      const minor = { amount_minor_units: '/query/a', currency: 'EUR' };
      const major = { amount_major_units: '/query/a', currency: 'EUR' };
      const results = [minor, major].map((spend) => spent(spend, post(null, { query })));
      return results.map((each) => each.amount_minor_units);
    };
    expect(paid('500')).toEqual([500, 50_000]);
    expect(paid('500.0')).toEqual([undefined, 50_000]);
    for (const written of ['50000e-2', '5e2', '-0'])
      expect([written, ...paid(written)]).toEqual([written, undefined, undefined]);
  });
});

describe('if the caller states the same section', () => {
  const cost = (amount_minor_units: number, currency = 'EUR', user_limit_minor_units?: number) => ({
    spend: { amount_minor_units, currency, user_limit_minor_units },
  });
  const paying = (amount: number) => post({ amount, currency: 'EUR' });
  const PROFILE = 'profile' as const;

  it.each<[string, stated: number, claims: object, outcome: string, shown: number, by?: 'profile']>(
    [
      ['a lower claim changes nothing', 10_001, cost(1), 'require_approval', 10_001, PROFILE],
      ['an equal claim changes nothing', 10_000, cost(10_000), 'allow', 10_000, PROFILE],
      ['a higher claim of the same outcome changes nothing', 1, cost(10_000), 'allow', 1, PROFILE],
      ['a higher claim counts', 1, cost(10_001), 'require_approval', 10_001],
      ['a much higher claim counts', 10_001, cost(50_001), 'deny', 50_001],
      ['a stated amount above the ceiling counts', 50_001, cost(50_000), 'deny', 50_001, PROFILE],
      [
        'its limit holds for the stated amount',
        5_001,
        cost(1, 'eur', 5_000),
        'require_approval',
        5_001,
        PROFILE,
      ],
      ['its limit holds up to the limit', 5_000, cost(1, 'EUR', 5_000), 'allow', 5_000, PROFILE],
      ['its higher limit holds too', 20_000, cost(1, 'EUR', 20_000), 'allow', 20_000, PROFILE],
      [
        'its limit in another currency does not hold',
        5_001,
        cost(1, 'USD', 5_000),
        'allow',
        5_001,
        PROFILE,
      ],
      [
        'its higher limit in another currency does not hold',
        10_001,
        cost(1, 'USD', 20_000),
        'require_approval',
        10_001,
        PROFILE,
      ],
    ],
  )('%s', (_name, stated, claims, outcome, shown, by) => {
    const entry = spent(MINOR, paying(stated), claims);
    expect(entry).toMatchObject({ outcome, amount_minor_units: shown });
    expect(entry.stated_by).toBe(by);
  });

  it('an unresolved pointer counts, unless the claim is stricter', () => {
    const unresolved = post({ amount: '5', currency: 'EUR' });
    expect(spent(MINOR, unresolved, cost(1))).toMatchObject({
      code: 'section_missing',
      stated_by: PROFILE,
    });
    expect(spent(MINOR, unresolved, cost(50_001))).toMatchObject({ code: 'amount_above_ceiling' });
  });

  it('`spend: none` allows only what the claim allows', () => {
    expect(spent('none', post(null))).toEqual({
      outcome: 'allow',
      code: 'nothing_spent',
      detail: 'The action spends nothing.',
      stated_by: PROFILE,
    });
    expect(spent('none', post(null), cost(10_000)).code).toBe('nothing_spent');
    expect(spent('none', post(null), cost(10_001))).toMatchObject({ code: 'amount_above_limit' });
  });

  it('the stricter labels count', () => {
    const own = profileStating({ pii: { categories: ['financial'] }, legal: { flags: [] } });
    const codes = (claims: object) => {
      const { rules } = toExplanation(evaluate(readValid({ action: post(1), ...claims }), own));
      return rules.slice(1, 3).map(({ code, stated_by }) => [code, stated_by]);
    };
    const stated = [
      ['category_needs_approval', PROFILE],
      ['nothing_claimed', PROFILE],
    ];
    expect(codes({})).toEqual(stated);
    expect(codes({ pii: { categories: ['health'] }, legal: { flags: ['other'] } })).toEqual(stated);
    expect(
      codes({ pii: { categories: ['biometric'] }, legal: { flags: ['prohibited_content'] } }),
    ).toEqual([
      ['category_denied', undefined],
      ['flag_denied', undefined],
    ]);
  });
});

it('facts of other rules, hosts and actions do not apply', () => {
  const own = completeProfile({
    name: 'own',
    actions: {
      rules: [
        { host: HOST, methods: ['GET'], outcome: 'allow', facts: { spend: 'none' } },
        { host: HOST, outcome: 'allow' },
      ],
    },
  });
  const codeOf = (action?: object) => evaluate(readValid({ action }), own).rules[0]?.code;
  expect(codeOf({ method: 'GET', url: `https://${HOST}/` })).toBe('nothing_spent');
  expect(codeOf(post(1))).toBe('section_missing');
  expect(codeOf({ method: 'GET', url: 'https://b.test/' })).toBe('section_missing');
  expect(codeOf()).toBe('section_missing');
});

const euros = (amount_minor_units: number) => ({ amount_minor_units, currency: 'EUR' });

it.each([
  ['spend', euros(100), euros(900), euros(900)],
  ['spend', euros(900), euros(100), euros(900)],
  ['pii', { categories: ['health'] }, { categories: ['location'] }, ['location', 'health']],
  ['legal', { flags: ['other'] }, { flags: ['requires_review'] }, ['requires_review', 'other']],
])(
  'a record joins the %s that the caller claims, %j, with %j',
  (section, claims, stated, joined) => {
    const request = readValid({ action: post({}), [section]: claims });
    const evaluation = evaluate(request, profileStating({ [section]: stated }));
    const { [section]: logged } = Object(decisionRecord(request, evaluation, true));
    const labels = { pii: logged.categories, legal: logged.flags };
    expect(Reflect.get(labels, section) ?? logged).toEqual(joined);
  },
);
