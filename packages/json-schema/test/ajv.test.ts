import { expect, it } from 'vitest';
import { compileCheck } from '../src/check.ts';
import { areUnique, equalToOneOf } from '../src/equality.ts';
import { isMultiple } from '../src/multiple-of.ts';
import type { Dialect } from '../src/reading/dialects.ts';

const check = (schema: object, dialect: Dialect = '2020-12') =>
  compileCheck({ dialect, text: JSON.stringify(schema) }).listing();
const ones = (count: number) => Array.from({ length: count }, () => 1);
const PAIR = [{ type: 'string' }];

it('each draft has the keywords of its own', () => {
  const required = { dependentRequired: { a: ['b'] } };
  expect(check({ prefixItems: PAIR })([1])).toHaveLength(1);
  expect(check({ prefixItems: PAIR }, 'openapi')([1])).toHaveLength(1);
  for (const dialect of ['2019-09', 'draft-07'] as const) {
    expect(check({ items: PAIR }, dialect)([1]), dialect).toHaveLength(1);
    expect(check({ prefixItems: PAIR }, dialect)([1]), dialect).toEqual([]);
  }
  expect(check(required, '2019-09')({ a: 1 })).toHaveLength(1);
  expect(check(required, 'draft-07')({ a: 1 })).toEqual([]);
});

it('lists the first 20 violations', () => {
  const strings = check({ items: { type: 'string' } });
  const violations = strings(ones(21));
  expect(violations).toHaveLength(20);
  expect(violations[19]).toEqual({ pointer: '/19', message: '/19 must be string' });
  expect(check({ type: 'object' })([])).toEqual([
    { pointer: '', message: 'the body must be object' },
  ]);
});

it('compares values as canonical JSON, whatever their members are named', () => {
  const odd = JSON.parse('{"__proto__":1,"constructor":{"a":[null]},"valueOf":2}');
  const same = JSON.parse('{"valueOf":2,"constructor":{"a":[null]},"__proto__":1}');
  const other = JSON.parse('{"valueOf":2,"constructor":{"a":[null]},"__proto__":2}');
  const isOne = equalToOneOf([odd, '1', 0, [1, 2], null]);
  expect([odd, same, '1', 0, -0, [1, 2], null].map(isOne)).toEqual(Array(7).fill(true));
  expect([other, {}, 1, '0', [2, 1], [1], [[1, 2]], '[1,2]', 'null', false].map(isOne)).toEqual(
    Array(10).fill(false),
  );
  expect(
    areUnique([1, '1', [1], ['1'], { 0: 1 }, [1, 2], [12], {}, { a: 1, b: 2 }, null, 'null', true]),
  ).toBe(true);
  for (const twice of [
    [1, 1],
    [[1], [1]],
    [odd, same],
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
  ])
    expect(areUnique(twice)).toBe(false);
});

it('a list is read up to its first duplicate, since a longer one takes its memory twice', () => {
  const unread = {
    get a() {
      throw new Error('read beyond the duplicate');
    },
  };
  expect(areUnique([1, 2, 1, unread])).toBe(false);
  expect(() => areUnique([1, 2, unread])).toThrow('read beyond');
});

it('words of equality say what they ask for', () => {
  expect(check({ const: 1 })(2)[0]?.message).toBe('the body must be 1');
  expect(check({ enum: [1, '1', null] })(2)[0]?.message).toBe(
    'the body must be one of 1, "1", null',
  );
  const unique = check({ uniqueItems: true });
  expect(unique([1, 1])[0]?.message).toBe('the body must NOT have duplicate items');
  expect([unique([1, 2]), unique('aa'), check({ uniqueItems: false })([1, 1])]).toEqual([
    [],
    [],
    [],
  ]);
  expect(check({ multipleOf: 2 })(3)[0]?.message).toBe('the body must be multiple of 2');
  expect([check({ multipleOf: 2 })('3'), check({ multipleOf: 2 })(-4)]).toEqual([[], []]);
});

it('finds multiples by the digits of numbers', () => {
  const multiples = [
    [0.01, 19.99],
    [1e-10, 1],
    [0.1, 0.3],
    [3, -9],
    [1e21, 3e21],
    [7, 0],
    [2.5e-7, 1e-6],
  ] as const;
  const others = [
    [0.01, 19.999],
    [1, 1e-10],
    [3, -10],
    [0.123456789, 1e308],
    [2.5e-7, 1.1e-6],
    [1, Number.POSITIVE_INFINITY],
  ] as const;
  expect(multiples.filter(([factor, value]) => !isMultiple(factor, value))).toEqual([]);
  expect(others.filter(([factor, value]) => isMultiple(factor, value))).toEqual([]);
});
