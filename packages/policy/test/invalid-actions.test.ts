import { describe, expect, it } from 'vitest';
import { completeProfile, InvalidProfile, type ProfileSource } from '../src/index.ts';

type Rule = NonNullable<NonNullable<ProfileSource['actions']>['rules']>[number];
const host = 'a.test';
const any = (outcome: Rule['outcome']): Rule => ({ host, outcome });
const some = (outcome: Rule['outcome'], more: object = {}): Rule => {
  return { host, paths: ['/a'], outcome, ...more };
};

function violationsIn(actions: unknown) {
  try {
    completeProfile({ name: 'own', actions } as ProfileSource);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidProfile)) throw error;
    return error.violations.map(({ pointer, message }) => `${pointer} ${message}`);
  }
}

const spend = (facts: unknown) => ({ rules: [{ ...any('allow'), facts: { spend: facts } }] });
const AT = '/actions/rules/0/facts/spend';
const EUR = { currency: 'EUR' };
const NEITHER =
  'must be `none`, or have `currency` and either `amount_minor_units` or `amount_major_units`';

describe('a profile is refused if in `actions`', () => {
  it.each<[string, unknown, ...violations: string[]]>([
    ['a rule has no outcome', { rules: [{ host }] }, '/actions/rules/0/outcome is required'],
    ['a rule has no host', { rules: [{ outcome: 'deny' }] }, '/actions/rules/0/host is required'],
    [
      '`missing` allows',
      { missing: 'allow' },
      '/actions/missing must be one of require_approval, deny',
    ],
    [
      '`unlisted` allows',
      { unlisted: 'allow' },
      '/actions/unlisted must be one of require_approval, deny',
    ],
    [
      'a host is malformed',
      { rules: [{ host: 'a..b', outcome: 'deny' }] },
      expect.stringMatching(/^\/actions\/rules\/0\/host must be host, host:port/),
    ],
    [
      'a path is malformed',
      { rules: [{ host, paths: ['/a', 'b'], outcome: 'deny' }] },
      '/actions/rules/0/paths/1 must begin with `/`',
    ],
    [
      'a method is unknown',
      { rules: [{ host, methods: ['FETCH'], outcome: 'deny' }] },
      expect.stringContaining('/actions/rules/0/methods/0 '),
    ],
    [
      'a rule repeats another',
      { rules: [some('allow'), { ...some('deny'), host: 'A.test' }] },
      '/actions/rules/1 can never match, because `/actions/rules/0` matches first; move this rule up or remove it',
    ],
    [
      'a rule follows one for its whole host',
      { rules: [any('allow'), some('deny', { host: 'a.test:81' })] },
      '/actions/rules/1 can never match, because `/actions/rules/0` matches first; move this rule up or remove it',
    ],
    [
      'an amount has no currency',
      spend({ amount_minor_units: 5 }),
      `${AT} ${NEITHER}`,
      `${AT}/currency is required`,
    ],
    [
      'there are two amounts',
      spend({ amount_minor_units: 5, amount_major_units: 5, ...EUR }),
      `${AT} ${NEITHER}`,
    ],
    ['there is no amount', spend(EUR), `${AT} ${NEITHER}`],
    ['`spend` is another word', spend('nothing'), `${AT} ${NEITHER}`],
    ['`spend` is a number', spend(0), `${AT} ${NEITHER}`],
    [
      'a currency is unknown',
      spend({ amount_minor_units: 5, currency: 'EUX' }),
      `${AT}/currency is not the ISO 4217 code of a currency with minor units`,
    ],
    [
      'a currency has no minor units',
      spend({ amount_minor_units: 5, currency: 'XAU' }),
      `${AT}/currency is not the ISO 4217 code of a currency with minor units`,
    ],
    [
      'minor units are text',
      spend({ amount_minor_units: '5', ...EUR }),
      `${AT}/amount_minor_units must be a whole number of minor units, or a JSON Pointer into the action, such as \`/body/amount\``,
    ],
    [
      'an amount has too many decimals',
      spend({ amount_major_units: 1.005, ...EUR }),
      `${AT}/amount_major_units is not an exact amount of EUR, that is, a number or decimal string with at most 2 decimals`,
    ],
    [
      'an amount in JPY has decimals',
      spend({ amount_major_units: '1.0', currency: 'jpy' }),
      `${AT}/amount_major_units is not an exact amount of JPY, that is, a number or decimal string with no decimals`,
    ],
    [
      'a fact is unknown',
      { rules: [{ ...any('allow'), facts: { cost: 1 } }] },
      '/actions/rules/0/facts/cost is an unknown property; known: spend, pii, legal',
    ],
    [
      'a category is unknown',
      { rules: [{ ...any('allow'), facts: { pii: { categories: ['x'] } } }] },
      expect.stringContaining('/actions/rules/0/facts/pii/categories/0 '),
    ],
  ])('%s', (_name, actions, ...violations) => {
    expect(violationsIn(actions)).toEqual(violations);
  });

  it('but not for exact facts, or rules that differ', () => {
    const fine = [
      spend({ amount_major_units: '1.05', ...EUR }),
      spend({ amount_major_units: 1.05, currency: 'eur' }),
      spend({ amount_minor_units: '/body/a', currency: '/body/b' }),
      spend({ amount_major_units: '1.005', currency: '/body/b' }),
      { rules: [some('allow'), some('deny', { methods: ['PUT'] }), any('deny')] },
      { rules: [some('allow'), some('deny', { host: 'a.test:81' }), any('deny')] },
      {
        rules: [any('allow'), any('deny')].map((rule, port) => ({
          ...rule,
          host: `a.test:${81 + port}`,
        })),
      },
    ];
    for (const actions of fine) expect([actions, violationsIn(actions)]).toEqual([actions, []]);
  });
});
