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
  it('every bad request, with a pointer to each member that is wrong', () => {
    for (const [body, ...pointers] of BAD_REQUESTS) {
      const violations = violationsOf(body);
      const places = new Set(violations.map(({ pointer }) => pointer));
      expect([body, ...[...places].sort()]).toEqual([body, ...pointers]);
      for (const { message } of violations) expect(message).toMatch(/\S/);
    }
  });

  it('an own `__proto__` member', () => {
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

it('checkPolicy accepts odd but valid requests', () => {
  for (const body of ODD_REQUESTS)
    expect(checkPolicy(body)).toMatchObject({
      ok: true,
      response: { decision: expect.any(String) },
    });
});

describe('checkPolicy agrees with a hand-written reading of the contract', () => {
  const agrees = (value: unknown) => {
    const result = checkPolicy(value);
    expect([value, result.ok]).toEqual([value, isWellFormed(value)]);
    if (!result.ok) expect(result.violations.length).toBeGreaterThan(0);
  };

  it('on every bad and every odd request', () => {
    for (const [body] of BAD_REQUESTS) agrees(body);
    for (const body of ODD_REQUESTS) agrees(body);
  });

  it('on JSON near the schema, well-formed or not', () => {
    fc.assert(
      fc.property(nearRequest, (value) => agrees(value)),
      { numRuns: 5_000 },
    );
    const wellFormed = fc.sample(nearRequest, 500).filter(isWellFormed).length;
    expect([wellFormed > 50, wellFormed < 450]).toEqual([true, true]);
  });

  it('on any value in place of the request, a section or a member', () => {
    const spend = { amount_minor_units: 1, currency: 'EUR' };
    const places = [
      (odd: unknown) => odd,
      (odd: unknown) => ({ request_id: odd }),
      (odd: unknown) => ({ spend: odd }),
      (odd: unknown) => ({ spend: { ...spend, amount_minor_units: odd } }),
      (odd: unknown) => ({ spend: { ...spend, currency: odd } }),
      (odd: unknown) => ({ spend: { ...spend, user_limit_minor_units: odd } }),
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
