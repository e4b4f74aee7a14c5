import { expect, it } from 'vitest';
import { refusalOf } from './checks.ts';

const DRAFT_04 = 'http://json-schema.org/draft-04/schema#';
const DRAFT_06 = 'http://json-schema.org/draft-06/schema#';
const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema';

const inA = (schema: object) => ({ properties: { a: schema } });
const nested = (levels: number): object => (levels === 0 ? {} : { items: nested(levels - 1) });
const wide = (lists: number) => ({ enum: Array.from({ length: lists }, () => []) });
const inLoop = (keyword: string, schema: object) => ({ [keyword]: schema });
const CLOSED = { unevaluatedProperties: false };

/** Schemas that are refused, each beside a similar one that is accepted. */
const REFUSALS: [
  pointer: string,
  says: string,
  refused: object | string,
  accepted?: object | string,
][] = [
  ['', 'must be an object', '[]', '{}'],
  ['', 'at most 30000 objects and arrays, in at most 64 levels', nested(64), nested(63)],
  ['', 'at most 30000', wide(29_999), wide(29_998)],
  // No schema at all
  [
    '',
    'send the value of its member `schema`',
    { name: 'a', strict: true, schema: { type: 'null' } },
  ],
  [
    '',
    'write `required` instead of `requried`',
    { $schema: DRAFT_07, requried: ['a'] },
    { required: ['a'] },
  ],
  [
    '',
    'write `properties` instead of `propertis`',
    { title: 'a', propertis: {} },
    { title: 'a', properties: {} },
  ],
  ['', 'write `items` instead of `Items`', { Items: {} }, { items: {} }],
  ['', '`application/json` is none', { 'application/json': { schema: {} } }],
  ['', 'write `type` instead of `TYPE`', { TYPE: 'object' }, { type: 'object' }],
  ['', '`foo` is none', { foo: {} }, { description: 'a' }],
  ['', '`content` is none', { description: 'a', content: {} }, { description: 'a' }],
  ['', '`strict` is none', { strict: true }, { strict: true, type: 'object' }],
  // Drafts
  [
    '/$schema',
    'must be left out or be one of',
    { $schema: 'https://json-schema.org/draft-03/schema' },
  ],
  [
    '/$schema',
    '`https://json-schema.org/draft/2020-12/schema`',
    { $schema: 7 },
    { $schema: DRAFT_2020 },
  ],
  ['/$schema', 'must be left out', { $schema: 'https://a.test/json-schema.org/draft-07/schema' }],
  ['/$schema', 'must be left out', { $schema: { toString: 1, valueOf: 1 } }],
  [
    '/$defs/a/$schema',
    'the same as at the root',
    { $defs: { a: { $schema: DRAFT_07 } } },
    { $defs: { a: { $schema: DRAFT_2020 } } },
  ],
  [
    '/properties/a/exclusiveMinimum',
    'must be a number; move the value of `minimum` here',
    inA({ minimum: 1, exclusiveMinimum: true }),
    inA({ exclusiveMinimum: 1 }),
  ],
  [
    '/exclusiveMaximum',
    'must be a number; leave it out instead of writing `false`',
    { $schema: DRAFT_04, maximum: 1, exclusiveMaximum: false },
    { $schema: DRAFT_04, maximum: 1 },
  ],
  [
    '/const',
    'means nothing in draft-04',
    { $schema: DRAFT_04, const: 1 },
    { $schema: DRAFT_06, const: 1 },
  ],
  [
    '/contains',
    'means nothing in draft-04',
    { $schema: DRAFT_04, contains: {} },
    { $schema: DRAFT_06, contains: {} },
  ],
  [
    '/propertyNames',
    'means nothing in draft-04',
    { $schema: DRAFT_04, propertyNames: {} },
    { $schema: DRAFT_06, propertyNames: {} },
  ],
  ['/if', 'means nothing in draft-04', { $schema: DRAFT_04, if: {} }],
  [
    '/if',
    'means nothing in draft-06',
    { $schema: DRAFT_06, if: {} },
    { $schema: DRAFT_07, if: {} },
  ],
  [
    '/items/id',
    'is not supported',
    { $schema: DRAFT_04, items: { id: 'a' } },
    { $schema: DRAFT_04, items: { id: '#a' } },
  ],
  ['/items', 'use `prefixItems`', { items: [{}] }, { $schema: DRAFT_07, items: [{}] }],
  [
    '/items/$id',
    'is not supported',
    { items: { $id: 'a', $ref: '#/$defs/b' }, $defs: { b: {} } },
    { items: { $id: 'a' } },
  ],
  // What Ajv gets wrong
  ['/$async', 'Ajv only', { $async: true, type: 'null' }, { properties: { $async: {} } }],
  ['/minimum', 'must be number', { minimum: { $data: '/a' } }, { minimum: 1 }],
  [
    '/items/$dynamicRef',
    'write `$ref`',
    { $dynamicAnchor: 'a', items: { $dynamicRef: '#a' } },
    { $dynamicAnchor: 'a', items: { $ref: '#' } },
  ],
  [
    '/$recursiveRef',
    'write `$ref`',
    { $recursiveRef: '#' },
    { $schema: DRAFT_07, $recursiveRef: '#', type: 'null' },
  ],
  [
    '/properties',
    '`patternProperties`',
    '{"properties":{"__proto__":{}}}',
    { properties: { proto: {} } },
  ],
  ['/const', 'must not contain', { const: { valueOf: 1 } }, { const: { value: 1 } }],
  ['/enum', 'must not contain', { enum: [1, [{ constructor: 1 }]] }, { enum: ['constructor'] }],
  ...['items', 'additionalProperties', 'unevaluatedProperties', 'contains', 'propertyNames'].map(
    (keyword): (typeof REFUSALS)[number] => [
      `/properties/a/${keyword}/allOf/0/contains`,
      'under `$defs`',
      inA({ [keyword]: { allOf: [{ contains: {} }] }, minItems: 1 }),
    ],
  ),
  [
    '/patternProperties/b/contains',
    'under `$defs`',
    { patternProperties: { b: { contains: {} } } },
    { properties: { b: { contains: {} } } },
  ],
  [
    '/items/contains',
    'under `$defs`',
    inLoop('items', { contains: {}, minItems: 0 }),
    inLoop('items', { contains: {}, minItems: 1 }),
  ],
  [
    '/items/unevaluatedProperties',
    'under `$defs`',
    { items: CLOSED },
    { $defs: { a: CLOSED }, items: { $ref: '#/$defs/a' } },
  ],
  [
    '/items/unevaluatedItems',
    'under `$defs`',
    { items: { unevaluatedItems: false } },
    { unevaluatedItems: false },
  ],
  [
    '/unevaluatedItems',
    'must be true or false',
    { unevaluatedItems: {} },
    { unevaluatedItems: true },
  ],
  [
    '/unevaluatedItems',
    'without `contains`',
    { contains: {}, unevaluatedItems: false },
    { contains: {}, unevaluatedProperties: false },
  ],
  [
    '/if',
    'needs a `then`',
    { if: {}, else: {}, ...CLOSED },
    '{"if":{},"then":{},"unevaluatedProperties":false}',
  ],
  ['/if', 'needs a `then`', '{"if":{},"then":true,"unevaluatedItems":false}', { if: {}, else: {} }],
  // Mistakes
  ['', 'is too complex', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } }],
  [
    '/properties/a/type',
    'must be one of array, boolean',
    inA({ type: 'text' }),
    inA({ type: 'string' }),
  ],
  ['/properties/a/required', 'must be array', inA({ required: 'a' }), inA({ required: ['a'] })],
  ['/properties/a/minLength', 'must be >= 0', inA({ minLength: -1 }), inA({ minLength: 0 })],
  [
    '',
    'type: null contradicts nullable: false',
    inA({ type: 'null', nullable: false }),
    inA({ type: 'null', nullable: true }),
  ],
  [
    '/components/schemas/a~1b/type',
    'must be one of',
    { $ref: '#/components/schemas/a~1b', components: { schemas: { 'a/b': { type: 'text' } } } },
  ],
  [
    '/items/$ref',
    'nothing is ever fetched',
    { items: { $ref: '#/$defs/b' } },
    { items: { $ref: '#/$defs/b' }, $defs: { b: {} } },
  ],
  ['/$ref', 'nothing is ever fetched', { $ref: 'https://a.test/b' }],
  ['', 'resolves to more than one', { $defs: { a: { $id: 'a' }, b: { $id: 'a', type: 'null' } } }],
  ['/pattern', 'Unterminated group', { pattern: '(' }, { pattern: '\\(' }],
  [
    '/patternProperties',
    'Unterminated group',
    { patternProperties: { '(': {} } },
    { properties: { '(': {} } },
  ],
];

it.each(REFUSALS)('%s %s: %j', (pointer, says, refused, accepted = '{}') => {
  expect(refusalOf(refused)).toEqual({ pointer, message: expect.stringContaining(says) });
  expect(refusalOf(accepted)).toBeUndefined();
});

it('looks for mistakes in places that only a reference leads to, but not in data', () => {
  const schemas = { a: { items: { pattern: '(' } } };
  expect(refusalOf({ components: { schemas } })?.pointer).toBe(
    '/components/schemas/a/items/pattern',
  );
  for (const keyword of ['const', 'default', 'example', 'x-schemas'])
    expect(refusalOf({ [keyword]: schemas, type: 'null' }), keyword).toBeUndefined();
});
