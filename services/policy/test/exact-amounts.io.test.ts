import { shared } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { MAX, REFUSED, TAKEN } from './support/amount-digits.ts';
import { postCheck, startPolicy } from './support/policy-server.ts';
import { problemIn, received } from './support/problems.ts';

// docs/contract.md, "Numbers": an amount that JSON parsing would change is refused.

const INVALID = { status: 400, code: 'InvalidRequest' };

const WHOLE_NUMBER = `must be a whole number of minor units from 0 to ${MAX}; 8750 is EUR 87.50`;

const server = shared(startPolicy);

const check = (json: string) => received(postCheck(server().url, json));

const FIELDS = ['amount_minor_units', 'user_limit_minor_units'] as const;
type Field = (typeof FIELDS)[number];

/** Spend section in which one of the two amounts has this spelling. */
const spendOf = (field: Field, digits: string) =>
  field === 'amount_minor_units'
    ? `{"spend":{"amount_minor_units":${digits},"currency":"EUR"}}`
    : `{"spend":{"amount_minor_units":0,"currency":"EUR","user_limit_minor_units":${digits}}}`;

it('a long pointer is cut between characters and listed once', async () => {
  const name = '😀'.repeat(200);
  const { errors } = problemIn(await check(`{"${name}":1e400}`), INVALID);
  expect(errors?.map(({ pointer }) => pointer)).toEqual([`/${'😀'.repeat(149)}\ufffd`]);
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

  it.each([
    ['10000.0000000000001', 'cannot be represented exactly as a double; send fewer digits'],
    ['9007199254740993', WHOLE_NUMBER],
    ['1e400', WHOLE_NUMBER],
    ['87.50', WHOLE_NUMBER],
  ])('says how to write %s', async (written, message) => {
    const { errors } = problemIn(await check(spendOf(field, written)), INVALID);
    expect(errors).toEqual([{ pointer: `/spend/${field}`, message }]);
  });
});

it('an inexact number does not hide other violations', async () => {
  const body = `{"spend":{"amount_minor_units":1e400,"currency":"EURO"},"odd":0.1000000000000000055}`;
  const { errors = [] } = problemIn(await check(body), INVALID);
  const pointers = errors.map(({ pointer }) => pointer);
  expect(pointers.toSorted()).toEqual(['/odd', '/spend/amount_minor_units', '/spend/currency']);
  expect(errors.find(({ pointer }) => pointer === '/odd')?.message).toMatch(/unknown property/);
});
