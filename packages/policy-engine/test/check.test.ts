import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkPolicy } from '../src/index.ts';
import { nearRequest } from './support/arbitraries.ts';
import { BAD_REQUESTS, ODD_REQUESTS } from './support/bad-requests.ts';
import { isWellFormed } from './support/well-formed.ts';

function violationsOf(value: unknown) {
  const result = checkPolicy(value);
  return result.ok ? [] : result.violations;
}

describe('checkPolicy refuses', () => {
  it.each(BAD_REQUESTS)('$name', ({ body, pointers }) => {
    const violations = violationsOf(body);
    expect([...new Set(violations.map(({ pointer }) => pointer))].sort()).toEqual(
      pointers.toSorted(),
    );
    for (const { message } of violations) expect(message).toMatch(/\S/);
  });

  it('what an own `__proto__` member holds', () => {
    expect(violationsOf(JSON.parse('{"__proto__":{"spend":null}}'))).toMatchObject([
      { pointer: '/__proto__' },
    ]);
    expect(violationsOf(JSON.parse('{"pii":{"__proto__":{"categories":[]}}}'))).toMatchObject([
      { pointer: '/pii/categories' },
      { pointer: '/pii/__proto__' },
    ]);
  });

  it.each(
    [undefined, () => ({}), Symbol('spend'), 10n, Number.NaN, new Date(), new Map()].map(
      (value) => ({ value }),
    ),
  )('$value unless it is an object without members', ({ value }) => {
    expect(checkPolicy(value).ok).toBe(typeof value === 'object');
  });
});

describe('checkPolicy takes', () => {
  it.each(ODD_REQUESTS)('%s', (_name, body) => {
    expect(checkPolicy(body)).toMatchObject({
      ok: true,
      response: { decision: expect.any(String) },
    });
  });
});

describe('checkPolicy agrees with a hand-written reading of the contract', () => {
  const agrees = (value: unknown, name = '') => {
    const result = checkPolicy(value);
    expect(result.ok, name).toBe(isWellFormed(value));
    if (!result.ok) expect(result.violations.length, name).toBeGreaterThan(0);
  };

  it('on every bad and every odd request', () => {
    for (const { name, body } of BAD_REQUESTS) agrees(body, name);
    for (const [name, body] of ODD_REQUESTS) agrees(body, name);
  });

  it('on JSON near the schema', () => {
    fc.assert(
      fc.property(nearRequest, (value) => agrees(value)),
      { numRuns: 5_000 },
    );
  });

  it('on any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => agrees(value)),
      { numRuns: 1_000 },
    );
  });

  it('on anything at all, in that it never throws and never takes what the contract refuses', () => {
    const property = fc.property(
      fc.anything({ withBigInt: true, withDate: true, withMap: true }),
      (value) => {
        if (checkPolicy(value).ok) expect(isWellFormed(value)).toBe(true);
      },
    );
    fc.assert(property, { numRuns: 2_000 });
  });

  it('on anything at all in the place of a section or a member', () => {
    const places = [
      (odd: unknown) => ({ request_id: odd }),
      (odd: unknown) => ({ spend: odd }),
      (odd: unknown) => ({ spend: { amount_minor_units: odd, currency: 'EUR' } }),
      (odd: unknown) => ({ spend: { amount_minor_units: 1, currency: odd } }),
      (odd: unknown) => ({
        spend: { amount_minor_units: 1, currency: 'EUR', user_limit_minor_units: odd },
      }),
      (odd: unknown) => ({ pii: { categories: odd } }),
      (odd: unknown) => ({ legal: { flags: [odd] } }),
      (odd: unknown) => ({ connector: { scope: odd } }),
    ];
    fc.assert(
      fc.property(fc.constantFrom(...places), fc.anything(), (place, odd) => agrees(place(odd))),
      { numRuns: 2_000 },
    );
  });
});

describe('checkPolicy near the schema', () => {
  it('meets both well-formed and refused requests, so that the agreement above says something', () => {
    const verdicts = fc.sample(nearRequest, 500).map(isWellFormed);
    expect(verdicts.filter(Boolean).length).toBeGreaterThan(50);
    expect(verdicts.filter((ok) => !ok).length).toBeGreaterThan(50);
  });
});
