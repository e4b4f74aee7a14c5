import { describe, expect, it } from 'vitest';
import { CURRENCY_CODES, evaluate } from '../src/index.ts';
import { SPEND_CURRENCIES, spendCases } from './support/cases.ts';
import { ISO_DIGITS } from './support/currencies.ts';
import {
  defaultLimit,
  hardCeiling,
  type SpendInput,
  type Verdict,
} from './support/decision-table.ts';
import { expectAnswers } from './support/in-process.ts';

function spendAnswer(spend: SpendInput) {
  const [answer] = evaluate({ spend }).rules;
  return answer ?? expect.fail('no spend_limit answer');
}

/**
 * Written out digit by digit, so that an error in the oracle's arithmetic cannot hide one
 * in the engine's.
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
  ['EUR', 10, 10, 'allow', 'EUR 0.10'],
  ['EUR', 50_000, 50_000, 'allow', 'EUR 500.00'],
  ['EUR', 50_001, 50_001, 'deny', 'EUR 500.01'],
  ['EUR', 50_001, Number.MAX_SAFE_INTEGER, 'deny', 'EUR 500.01'],
  ['EUR', Number.MAX_SAFE_INTEGER, undefined, 'deny', 'EUR 90071992547409.91'],
  ['JPY', 100, undefined, 'allow', 'JPY 100'],
  ['JPY', 101, undefined, 'require_approval', 'JPY 101'],
  ['jpy', 150, undefined, 'require_approval', 'JPY 150'],
  ['JPY', 500, undefined, 'require_approval', 'JPY 500'],
  ['JPY', 501, undefined, 'deny', 'JPY 501'],
  ['JPY', Number.MAX_SAFE_INTEGER, undefined, 'deny', 'JPY 9007199254740991'],
  ['HUF', 10_000, undefined, 'allow', 'HUF 100.00'],
  ['HUF', 50_001, undefined, 'deny', 'HUF 500.01'],
  ['IDR', 10_001, undefined, 'require_approval', 'IDR 100.01'],
  ['MGA', 50_000, undefined, 'require_approval', 'MGA 500.00'],
  ['XCG', 10_000, undefined, 'allow', 'XCG 100.00'],
  ['kwd', 12_345, undefined, 'allow', 'KWD 12.345'],
  ['KWD', 100_000, undefined, 'allow', 'KWD 100.000'],
  ['KWD', 100_001, undefined, 'require_approval', 'KWD 100.001'],
  ['KWD', 500_001, undefined, 'deny', 'KWD 500.001'],
  ['IQD', 500_000, undefined, 'require_approval', 'IQD 500.000'],
  ['IQD', 7, undefined, 'allow', 'IQD 0.007'],
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
      const answer = spendAnswer({ amount_minor_units: amount, currency, ...userLimit });
      expect(answer.outcome).toBe(outcome);
      expect(answer.detail.split(' is ')[0]).toBe(shown);
    },
  );
});

describe('spend_limit, word for word', () => {
  it('answers every amount by every user limit', () => {
    const cases = SPEND_CURRENCIES.flatMap(spendCases);
    expect(cases.length).toBe(2_016);
    expectAnswers(cases);
  });

  it('answers at both boundaries of every ISO 4217 currency', () => {
    expect(CURRENCY_CODES).toEqual(expect.arrayContaining([...ISO_DIGITS.keys()]));
    expect(CURRENCY_CODES).toEqual(CURRENCY_CODES.toSorted());
    const cases = [...ISO_DIGITS.keys()].flatMap((currency) => {
      const limit = defaultLimit(currency);
      const ceiling = hardCeiling(currency);
      return [limit, limit + 1, ceiling, ceiling + 1].map((amount) => ({
        name: `${currency} ${amount}`,
        request: { spend: { amount_minor_units: amount, currency } },
      }));
    });
    expectAnswers(cases);
  });
});
