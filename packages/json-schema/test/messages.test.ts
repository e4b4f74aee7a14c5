import { expect, it } from 'vitest';
import { mustCheck } from './support/checks.ts';

/** Schema for an object that may have only these members. */
const closed = (properties: object, more: object = {}) => ({
  ...{ type: 'object', properties, additionalProperties: false },
  ...more,
});

const MESSAGES: [name: string, schema: object, body: unknown, messages: string[]][] = [
  [
    'unknown properties, each by its name',
    { items: closed({ id: {}, name: {} }) },
    [{ id: 1, spand: 2, nmae: 3 }],
    [
      '/0 has an unknown property `spand`; known: id, name',
      '/0 has an unknown property `nmae`; known: id, name',
    ],
  ],
  [
    'where names may match a pattern',
    closed({ id: {} }, { patternProperties: { '^x-': {} } }),
    { y: 1 },
    ['the body has an unknown property `y`; known: id, /^x-/'],
  ],
  [
    'where none is known',
    { additionalProperties: false },
    { a: 1 },
    ['the body has an unknown property `a`; known: none'],
  ],
  [
    'a value of no list',
    { properties: { size: { enum: ['s', 1, null] } } },
    { size: 'xl' },
    ['/size must be one of "s", 1, null'],
  ],
  ['a constant', { const: { a: [1] } }, 2, ['the body must be {"a":[1]}']],
  ['a list of one value', { enum: [1] }, 2, ['the body must be 1']],
  ['duplicate items', { uniqueItems: true }, [1, 1], ['the body must not have duplicate items']],
  ['a number that is not a multiple', { multipleOf: 2 }, 3, ['the body must be a multiple of 2']],
  ['too few items', { minItems: 1 }, [], ['the body must not have fewer than 1 items']],
  ['a format', { format: 'date' }, 'now', ['the body must match format "date"']],
  [
    'twenty of them',
    { items: { type: 'string' } },
    Array.from({ length: 21 }, () => 1),
    Array.from({ length: 20 }, (_, index) => `/${index} must be string`),
  ],
];

it.each(MESSAGES)('%s', (_name, schema, body, messages) => {
  const found = mustCheck(schema)(JSON.stringify(body));
  expect(found.map(({ message }) => message)).toEqual(messages);
});

it('names an unevaluated property without listing the known ones', () => {
  const schema = { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false };
  const found = mustCheck(schema)('{"a":1,"b":2,"c":3}');
  expect(found.map(({ message }) => message)).toEqual([
    'the body has an unknown property `b`',
    'the body has an unknown property `c`',
  ]);
});
