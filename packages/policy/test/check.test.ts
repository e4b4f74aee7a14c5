import { describe, expect, it } from 'vitest';
import { checkPolicy } from '../src/index.ts';
import { BAD_REQUESTS, ODD_REQUESTS } from './support/bad-requests.ts';

function violationsOf(value: unknown) {
  const result = checkPolicy(value);
  return result.ok ? [] : result.violations;
}

describe('checkPolicy refuses', () => {
  it('every bad request, with a pointer to each wrong member', () => {
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

it('checkPolicy accepts odd but valid requests, and orders the members of its response', () => {
  for (const body of ODD_REQUESTS) {
    const checked = checkPolicy(body);
    const response = checked.ok ? checked.response : expect.fail('refused');
    expect(Object.keys(response)).toEqual(['decision', 'rules']);
    for (const rule of response.rules)
      expect(Object.keys(rule)).toEqual(['rule', 'outcome', 'detail']);
  }
});
