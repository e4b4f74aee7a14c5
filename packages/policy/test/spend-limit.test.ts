import { describe, expect, it } from 'vitest';
import { CURRENCY_CODES, evaluate } from '../src/index.ts';
import { expectAnswers } from './support/answers.ts';
import { ISO_DIGITS, TABLE_CURRENCIES } from './support/currencies.ts';
import {
  defaultLimit,
  hardCeiling,
  type SpendInput,
  type Verdict,
} from './support/decision-table.ts';

/**
 * Cases written out by hand, so that an arithmetic error in the oracle (`decision-table.ts`) cannot
 * hide one in the engine.
 */
const BOUNDARIES: [
  currency: string,
  amount: number,
  limit: number | undefined,
  outcome: Verdict,
  shown: string,
][] = [
  ['EUR', 9_999, undefined, 'allow', 'EUR 99.99'],
  ['EUR', 10_000, undefined, 'allow', 'EUR 100.00'],
  ['EUR', 10_001, undefined, 'require_approval', 'EUR 100.01'],
  ['EUR', 49_999, undefined, 'require_approval', 'EUR 499.99'],
  ['EUR', 50_000, undefined, 'require_approval', 'EUR 500.00'],
  ['EUR', 50_001, undefined, 'deny', 'EUR 500.01'],
  ['eur', 8_750, undefined, 'allow', 'EUR 87.50'],
  ['EUR', 8_750, 8_749, 'require_approval', 'EUR 87.50'],
  ['EUR', 0, 0, 'allow', 'EUR 0.00'],
  ['EUR', 1, 0, 'require_approval', 'EUR 0.01'],
  ['EUR', 50_001, 50_001, 'deny', 'EUR 500.01'],
  ['EUR', 50_001, Number.MAX_SAFE_INTEGER, 'deny', 'EUR 500.01'],
  ['JPY', 100, undefined, 'allow', 'JPY 100'],
  ['JPY', 101, undefined, 'require_approval', 'JPY 101'],
  ['JPY', 500, undefined, 'require_approval', 'JPY 500'],
  ['JPY', 501, undefined, 'deny', 'JPY 501'],
  ['HUF', 10_000, undefined, 'allow', 'HUF 100.00'],
  ['IDR', 10_001, undefined, 'require_approval', 'IDR 100.01'],
  ['kwd', 12_345, undefined, 'allow', 'KWD 12.345'],
  ['KWD', 100_000, undefined, 'allow', 'KWD 100.000'],
  ['KWD', 100_001, undefined, 'require_approval', 'KWD 100.001'],
  ['KWD', 500_001, undefined, 'deny', 'KWD 500.001'],
  ['CLF', 1_000_000, undefined, 'allow', 'CLF 100.0000'],
  ['CLF', 1_000_001, undefined, 'require_approval', 'CLF 100.0001'],
  ['clf', 5_000_000, undefined, 'require_approval', 'CLF 500.0000'],
  ['CLF', 5_000_001, undefined, 'deny', 'CLF 500.0001'],
  ['CLF', Number.MAX_SAFE_INTEGER, undefined, 'deny', 'CLF 900719925474.0991'],
];

describe('spend_limit at its boundaries', () => {
  it.each(BOUNDARIES)(
    '%s %i, user limit %s: %s, shown as %s',
    (currency, amount, limit, outcome, shown) => {
      const userLimit = limit === undefined ? {} : { user_limit_minor_units: limit };
      const spend = { amount_minor_units: amount, currency, ...userLimit };
      const [answer] = evaluate({ spend }).rules;
      expect([answer?.outcome, answer?.detail.split(' is ')[0]]).toEqual([outcome, shown]);
    },
  );
});

const MAX_AMOUNT = Number.MAX_SAFE_INTEGER;

/** Every amount around a boundary × every kind of user limit, for one spelling of a currency. */
function spendsIn(currency: string): SpendInput[] {
  const ceiling = hardCeiling(currency);
  return userLimits(defaultLimit(currency), ceiling).flatMap((limit) => {
    const effective = limit.user_limit_minor_units ?? defaultLimit(currency);
    const around = [effective - 1, effective, effective + 1, ceiling - 1, ceiling, ceiling + 1];
    const amounts = [...new Set([0, 1, ...around, MAX_AMOUNT])];
    return amounts
      .filter((amount) => amount >= 0 && amount <= MAX_AMOUNT)
      .map((amount_minor_units) => ({ amount_minor_units, currency, ...limit }));
  });
}

function userLimits(standard: number, ceiling: number): Partial<SpendInput>[] {
  const low = [0, 1, standard - 1, standard, standard + 1, standard * 3];
  const high = [ceiling - 1, ceiling, ceiling + 1, ceiling * 2, ceiling * 1000, MAX_AMOUNT];
  const limits = [null, ...low, ...high].map((limit) => ({ user_limit_minor_units: limit }));
  return [{}, ...limits];
}

describe('spend_limit, word for word', () => {
  it('decides every amount under every user limit', () => {
    const spends = TABLE_CURRENCIES.flatMap((code) => [code, code.toLowerCase()]).flatMap(spendsIn);
    expect(spends).toHaveLength(2_016);
    expectAnswers(spends.map((spend) => ({ spend })));
  });

  it('decides at both boundaries of every ISO 4217 currency', () => {
    expect(CURRENCY_CODES).toEqual(expect.arrayContaining([...ISO_DIGITS.keys()]));
    expect(CURRENCY_CODES).toEqual(CURRENCY_CODES.toSorted());
    for (const currency of ISO_DIGITS.keys()) {
      const [limit, ceiling] = [defaultLimit(currency), hardCeiling(currency)];
      const amounts = [limit, limit + 1, ceiling, ceiling + 1];
      expectAnswers(
        amounts.map((amount_minor_units) => ({ spend: { amount_minor_units, currency } })),
      );
    }
  });
});
