import { expect, it } from 'vitest';
import { mustCheck } from './support/checks.ts';

const closed = { unevaluatedProperties: false };
const closedList = { unevaluatedItems: false };
/** Schema that evaluates `k` and `a`, but only in objects that have a `k`. */
const withK = { required: ['k'], properties: { k: {}, a: {} } };
const withB = { required: ['b'], properties: { b: {} } };
const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema';

const VERDICTS: [name: string, schema: object, valid: unknown[], invalid: unknown[]][] = [
  [
    'a branch that held for another item',
    { items: { ...closed, anyOf: [withK, withB] } },
    [[{ k: 1, a: 1 }, { b: 1 }]],
    [
      [
        { k: 1, a: 1 },
        { b: 1, a: 1 },
      ],
    ],
  ],
  [
    'nullable beside branches',
    { ...closed, nullable: true, anyOf: [withK, { allOf: [{ anyOf: [withB] }] }] },
    [null, { k: 1, a: 1 }, { b: 1 }],
    [{ b: 1, a: 1 }],
  ],
  [
    'a closed schema that refers to itself',
    { ...closed, properties: { next: { $ref: '#' } }, anyOf: [{ properties: { id: {} } }] },
    [{ id: 1, next: { id: 2, next: {} } }],
    [{ next: { next: { a: 1 } } }],
  ],
  [
    'a reference to a document with its own base',
    {
      ...closed,
      $ref: 'https://a.test/a/b',
      $defs: {
        b: { $id: 'https://a.test/a/b', $ref: '#c', $defs: { c: { $anchor: 'c', ...withB } } },
      },
    },
    [{ b: 1 }],
    [{ b: 1, c: 1 }, { c: 1 }],
  ],
  [
    'an extension',
    { $defs: { base: { properties: { id: {} } } }, allOf: [{ $ref: '#/$defs/base' }], ...closed },
    [{ id: 1 }],
    [{ id: 1, b: 2 }],
  ],
  [
    'a branch beside a reference',
    { $defs: { b: { properties: { b: {} } } }, $ref: '#/$defs/b', anyOf: [{}, withB], ...closed },
    [{}, { b: 1 }],
    [{ a: 1 }],
  ],
  ['names of JavaScript', closed, [{}], [{ constructor: 1 }, { toString: 1 }]],
  [
    'tuples in 2019-09',
    { $schema: DRAFT_2019, ...closedList, anyOf: [{ items: [{}] }, { prefixItems: [{}, {}] }] },
    [[1]],
    [[1, 2]],
  ],
];

it.each(VERDICTS)('checks unevaluated members: %s', (_name, schema, valid, invalid) => {
  const check = mustCheck(schema);
  const isValid = (body: unknown) => check(JSON.stringify(body)).length === 0;
  expect({ valid: valid.filter(isValid), invalid: invalid.filter(isValid) }).toEqual({
    valid,
    invalid: [],
  });
});

it.each<[string, object, unknown, object[]]>([
  [
    'each property and item',
    { properties: { list: closedList }, ...closed },
    { list: [1, 2], 'a/b': 1 },
    [
      { pointer: '/list', message: '/list must not have an item at index 0' },
      { pointer: '/list', message: '/list must not have an item at index 1' },
      { pointer: '', message: 'the body has an unknown property `a/b`' },
    ],
  ],
  [
    'the place within an unevaluated property',
    { unevaluatedProperties: { items: { type: 'string' } } },
    { 'a/b': ['x', 1] },
    [{ pointer: '/a~1b/1', message: '/a~1b/1 must be string' }],
  ],
])('names %s', (_name, schema, body, violations) => {
  expect(mustCheck(schema)(JSON.stringify(body))).toEqual(violations);
});

it('stops a check of exponentially many branches', () => {
  const nested = (levels: number): object =>
    levels === 0
      ? { properties: { a: {} } }
      : { unevaluatedProperties: false, anyOf: [nested(levels - 1)] };
  const check = mustCheck(nested(30));
  const mustBeValid = () => {
    if (check('{"a":1}').length > 0) throw new Error('not checked');
  };
  expect(mustBeValid).toThrow();
});
