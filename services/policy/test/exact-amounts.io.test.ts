import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { MAX, REFUSED, TAKEN } from './support/amount-digits.ts';
import { postCheck, startPolicy } from './support/policy-server.ts';
import { problemIn, received } from './support/problems.ts';

// docs/contract.md, "Numbers": an amount that JSON parsing would change is refused.

const INVALID = { status: 400, code: 'InvalidRequest' };

const server = await startPolicy();
afterAll(() => server[Symbol.asyncDispose]());

const check = (json: string) => received(postCheck(server.url, json));

const FIELDS = ['amount_minor_units', 'user_limit_minor_units'] as const;
type Field = (typeof FIELDS)[number];

/** Spend section in which one of the two amounts has this spelling. */
const spendOf = (field: Field, digits: string) =>
  field === 'amount_minor_units'
    ? `{"spend":{"amount_minor_units":${digits},"currency":"EUR"}}`
    : `{"spend":{"amount_minor_units":0,"currency":"EUR","user_limit_minor_units":${digits}}}`;

it('a long pointer is cut between characters', async () => {
  const name = '😀'.repeat(200);
  const { errors } = problemIn(await check(`{"${name}":1e400}`), INVALID);
  expect(errors?.[0]?.pointer).toBe(`/${'😀'.repeat(149)}\ufffd`);
});

describe.each(FIELDS)('%s', (field) => {
  it('accepts every spelling of an integer', async () => {
    for (const [written, means] of TAKEN) {
      const { status, text } = await check(spendOf(field, written));
      const plain = await check(spendOf(field, means));
      expect({ written, status, text }).toEqual({ written, status: 200, text: plain.text });
    }
  });

  it('refuses digits that are not an integer in range', async () => {
    for (const written of REFUSED) {
      const { errors = [] } = problemIn(await check(spendOf(field, written)), INVALID);
      const pointers = new Set(errors.map(({ pointer }) => pointer));
      expect([written, ...pointers]).toEqual([written, `/spend/${field}`]);
    }
  });

  it('asks for an integer, not for a string, if a double would lose digits', async () => {
    for (const written of ['10000.0000000000001', '9007199254740993', '1e400']) {
      const { errors } = problemIn(await check(spendOf(field, written)), INVALID);
      const message = `must be a whole number of minor units, at most ${MAX}: 8750 is EUR 87.50`;
      expect(errors).toEqual([{ pointer: `/spend/${field}`, message }]);
    }
  });
});

/**
 * Returns the value of a decimal if it is an integer of moderate size. Uses only big integers, so
 * that nothing is rounded.
 */
function exactly(written: string): bigint | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(written) ?? [];
  const digits = BigInt(`${whole}${fraction}`);
  const shift = BigInt(exponent) - BigInt(fraction.length);
  if (digits === 0n) return 0n;
  const signed = sign === '-' ? -digits : digits;
  if (shift >= 0n) return shift > 400n ? undefined : signed * 10n ** shift;
  if (-shift > 400n) return undefined;
  return signed % 10n ** -shift === 0n ? signed / 10n ** -shift : undefined;
}

/** Fractional parts of a number: none, ordinary ones, and ones that a double rounds away. */
const FRACTIONS = [
  /^$/,
  /^\.\d{0,10}[1-9]$/,
  /^\.0{1,20}$/,
  /^\.[09]\d{10,25}[1-9]$/,
  /^\.0{10,30}[1-9]$/,
  /^\.9{10,30}$/,
];

describe('any number of JSON', () => {
  it('is an amount if and only if it is an integer from 0 to 2^53-1', async () => {
    const digits = fc.oneof(
      fc
        .tuple(
          fc.stringMatching(/^(?:0|[1-9]\d{0,18})$/),
          fc.oneof(...FRACTIONS.map((form) => fc.stringMatching(form))),
        )
        .map(([whole, rest]) => `${whole}${rest}`),
      fc.bigInt({ min: 9007199254740980n, max: 9007199254741000n }).map(String),
    );
    const number = fc
      .tuple(fc.constantFrom('', '', '-'), digits, fc.stringMatching(/^(?:[eE][+-]?\d{1,2})?$/))
      .map((parts) => parts.join(''));
    const property = fc.asyncProperty(number, async (written) => {
      const means = exactly(written);
      const wanted = means !== undefined && means >= 0n && means <= BigInt(MAX);
      const { status, text } = await check(spendOf('amount_minor_units', written));
      expect({ written, status }).toEqual({ written, status: wanted ? 200 : 400 });
      if (wanted)
        expect(text).toBe((await check(spendOf('amount_minor_units', String(means)))).text);
    });
    await fc.assert(property, { numRuns: 500 });
  });
});
