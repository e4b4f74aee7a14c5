import { expect, it } from 'vitest';
import { mustCheck } from './checks.ts';

const closed = (properties: object, more: object = {}) => ({
  ...{ type: 'object', properties, additionalProperties: false },
  ...more,
});
const LONG = 'n'.repeat(8_192);

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
    closed({}),
    { a: 1 },
    ['the body has an unknown property `a`; known: none'],
  ],
  [
    'an unevaluated property',
    { unevaluatedProperties: false },
    { b: 2 },
    ['the body has an unknown property `b`'],
  ],
  [
    'a value of no list',
    { properties: { a: { enum: ['s', 1, null] } } },
    { a: 'xl' },
    ['/a must be one of "s", 1, null'],
  ],
  ['a constant', { const: { a: [1] } }, 2, ['the body must be {"a":[1]}']],
  ['too few items', { minItems: 1 }, [], ['the body must not have fewer than 1 items']],
  ['a format', { format: 'date' }, 'now', ['the body must match format "date"']],
  [
    'a place with special characters',
    closed({ 'a/b': closed({}) }),
    { 'a/b': 1 },
    ['/a~1b must be object'],
  ],
  [
    'twenty of them',
    { items: { type: 'string' } },
    Array(21).fill(1),
    Array.from({ length: 20 }, (_, n) => `/${n} must be string`),
  ],
  [
    'no more than 8,192 characters of a place',
    { additionalProperties: { type: 'null' } },
    { [LONG]: 1 },
    ['the body must be null'],
  ],
  [
    'no more than 8,192 characters of a name',
    closed({}),
    { [LONG]: 1 },
    ['the body must not have additional properties'],
  ],
];

it.each(MESSAGES)('%s', (_name, schema, body, messages) => {
  const found = mustCheck(schema)(JSON.stringify(body));
  expect(found.map(({ message }) => message)).toEqual(messages);
});
