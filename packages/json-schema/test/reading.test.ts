import { describe, expect, it } from 'vitest';
import { quoteValue } from '../src/reading/invalid-schema.ts';
import { readSchema } from '../src/reading/read.ts';

const URIS = {
  'draft-04': 'http://json-schema.org/draft-04/schema#',
  'draft-06': 'http://json-schema.org/draft-06/schema',
  'draft-07': 'https://json-schema.org/draft-07/schema#',
  '2019-09': 'https://json-schema.org/draft/2019-09/schema',
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
  openapi: 'https://spec.openapis.org/oas/3.1/dialect/base',
};
const asText = (schema: object | string) =>
  typeof schema === 'string' ? schema : JSON.stringify(schema);
const read = (schema: object | string) => readSchema(asText(schema));
/** The pointer and the message of what a schema is refused for. */
const refused = (schema: object | string) => {
  try {
    return read(schema).text;
  } catch (error) {
    return [(error as { pointer: string }).pointer, (error as Error).message];
  }
};

describe('the dialect', () => {
  it('is that of `$schema`', () => {
    for (const [dialect, $schema] of Object.entries(URIS))
      expect(read({ $schema, title: 'a' })).toMatchObject({ dialect, text: '{"title":"a"}' });
    for (const schema of [{}, { $schema: null }]) expect(read(schema).dialect).toBe('openapi');
    for (const version of ['3.0/schema/x', '3.10/dialect/base'])
      expect(read({ $schema: `https://spec.openapis.org/oas/${version}` }).dialect).toBe('openapi');
  });

  it.each<[unknown]>([
    ['json-schema.org/draft-07/https://schema'],
    ['json-schema.org/#draft-07/schema'],
    ['https://json-schema.org/draft-03/schema'],
    ['a spec.openapis.org/oas/3.1/dialect/base'],
    ['https://spec.openapis.org/oas/2.0/schema'],
    [7],
    [''],
  ])('is not known: %j', ($schema) => {
    expect(refused({ $schema })).toEqual([
      '/$schema',
      expect.stringMatching(
        /^must be left out or name a draft, .*: `https:\/\/json-schema\.org\/draft-04\/schema`, .*; it is `/,
      ),
    ]);
  });
});

const DEEP = (levels: number, inner: object = {}): object =>
  levels === 1 ? inner : { not: DEEP(levels - 1, inner) };
const SIZE = 'it has more than 30000 objects and arrays, or more than 64 levels';
const wide = (nodes: number) => ({ allOf: Array.from({ length: nodes - 2 }, () => ({})) });
const INFINITE = 'is a number larger than any double';
const NO_PATTERN = 'is `"("`, which is not a regular expression of ECMAScript';

describe('a schema is refused', () => {
  it.each<[schema: object | string, pointer: string, message: string]>([
    ['[]', '', 'it is `[]`, and must be an object'],
    ['null', '', 'it is `null`, and must be an object'],
    ['true', '', 'it is `true`, and must be an object'],
    [DEEP(65), '', SIZE],
    [wide(30_001), '', SIZE],
    [
      { items: [{}] },
      '/items',
      'must be one schema, not an array; use `prefixItems`, or name an older draft in `$schema`',
    ],
    [{ properties: { 'a/b~c': { pattern: '(' } } }, '/properties/a~1b~0c/pattern', NO_PATTERN],
    [{ patternProperties: { '(': {} } }, '/patternProperties/(', NO_PATTERN],
    ['{"const":1e400}', '/const', INFINITE],
    ['{"allOf":[{"enum":[1,[-1e400]]}]}', '/allOf/0/enum/1/0', INFINITE],
    [
      { $ref: '#/x/a%20b/~1', x: { 'a b': { '/': { pattern: '(' } } } },
      '/x/a b/~1/pattern',
      NO_PATTERN,
    ],
  ])('%.60j', (schema, pointer, message) => {
    expect(refused(schema)).toEqual([pointer, message]);
  });

  it('but not at its greatest size, nor for what is no place of the kind', () => {
    const fine: (object | string)[] = [
      ...[
        DEEP(64),
        wide(30_000),
        { properties: { '(': {} } },
        { x: { patternProperties: { '(': {} } } },
      ],
      ...[
        { properties: { patternProperties: { '(': {} } } },
        { pattern: ['('] },
        { $ref: '#/%zz' },
      ],
      ...['{"const":9007199254740993}', '{"maximum":1e308}'],
    ];
    for (const schema of fine)
      expect(refused(schema), asText(schema).slice(0, 80)).toBeTypeOf('string');
  });
});

it('shows 60 characters of a value', () => {
  expect(quoteValue('x'.repeat(58))).toBe(`\`"${'x'.repeat(58)}"\``);
  expect(quoteValue('x'.repeat(59))).toBe(`\`"${'x'.repeat(59)}…\``);
  expect(quoteValue(undefined)).toBe('`nothing`');
});

/** A schema of a dialect, and what it is in words that validators agree on. */
const TRANSLATED: [name: string, dialect: keyof typeof URIS, schema: object, text: object][] = [
  ['an identifier of draft-04', 'draft-04', { title: 'a', id: 'b' }, { id: 'b', title: 'a' }],
  ['an identifier of a later draft', 'draft-04', { $id: 'b' }, {}],
  ['exclusive bounds', 'openapi', { minimum: 1, exclusiveMinimum: true }, { exclusiveMinimum: 1 }],
  [
    'those of draft-04',
    'draft-04',
    { minimum: 1, exclusiveMinimum: true },
    { minimum: 1, exclusiveMinimum: true },
  ],
  [
    'inclusive bounds',
    'openapi',
    { maximum: 2, exclusiveMaximum: false, minimum: 1, exclusiveMinimum: 0 },
    { minimum: 1, exclusiveMinimum: 0, maximum: 2 },
  ],
  [
    'an exclusive bound of nothing',
    'openapi',
    { exclusiveMinimum: true, title: 'a' },
    { title: 'a' },
  ],
  [
    'a bound that is no number',
    'openapi',
    { minimum: 'a', exclusiveMinimum: true },
    { minimum: 'a' },
  ],
  [
    'exclusive bounds of later drafts',
    '2020-12',
    { exclusiveMinimum: true },
    { exclusiveMinimum: true },
  ],
  ['a nullable type', 'openapi', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
  ['nullable types', 'openapi', { type: ['null', 'a'], nullable: true }, { type: ['null', 'a'] }],
  ['what is not nullable', 'openapi', { type: 'string', nullable: false }, { type: 'string' }],
  ['nullable alone', 'openapi', { nullable: true }, {}],
  ['a nullable enum', 'openapi', { enum: ['a'], nullable: true }, { enum: ['a', null] }],
  ['a nullable enum of null', 'openapi', { enum: [null], nullable: true }, { enum: [null] }],
  [
    'nullable beside allOf in another dialect',
    '2020-12',
    { nullable: true, allOf: [] },
    { allOf: [] },
  ],
  [
    'nullable in another dialect',
    'draft-04',
    { type: 'string', nullable: true },
    { type: 'string' },
  ],
  ['annotations with data', 'openapi', { example: { type: 1 }, default: 1, xml: {} }, {}],
  [
    'data',
    'openapi',
    { const: { nullable: true, id: 'a' } },
    { const: { nullable: true, id: 'a' } },
  ],
  ['words that Ajv obeys', 'draft-07', { $async: true, $data: 1, title: 'a' }, { title: 'a' }],
  [
    'members beside $ref',
    'draft-07',
    { $ref: '#', type: 'null', definitions: {} },
    { $ref: '#', definitions: {} },
  ],
  [
    'members beside $ref since 2019-09',
    '2019-09',
    { $ref: '#', type: 'null' },
    { $ref: '#', type: 'null' },
  ],
  [
    'members beside what is no $ref',
    'draft-07',
    { $ref: 1, type: 'null' },
    { $ref: 1, type: 'null' },
  ],
  ['keywords of later drafts', '2019-09', { prefixItems: [], $dynamicRef: '#' }, {}],
  [
    'keywords of drafts before',
    '2020-12',
    { additionalItems: false, $recursiveRef: '#', id: 'a' },
    {},
  ],
  [
    'keywords of its own',
    '2019-09',
    { additionalItems: false, minContains: 1 },
    { additionalItems: false, minContains: 1 },
  ],
  [
    'keywords since draft-06',
    'draft-04',
    { const: 1, contains: {}, if: {}, title: 'a' },
    { title: 'a' },
  ],
  [
    'an embedded schema of another draft',
    'openapi',
    { $defs: { a: { $schema: URIS['draft-07'], $id: 'a', type: 'null', nullable: true } } },
    { $defs: { a: { $schema: URIS['draft-07'], $id: 'a', type: 'null' } } },
  ],
  [
    'an embedded schema without an identifier',
    'openapi',
    { $defs: { a: { $schema: URIS['draft-07'], type: 'string', nullable: true } } },
    { $defs: { a: { $schema: URIS['draft-07'], type: ['string', 'null'] } } },
  ],
  [
    'names and words in places that no keyword leads to',
    'openapi',
    {
      x: {
        id: 'a',
        $id: 'b',
        $anchor: 'c',
        $dynamicAnchor: 'd',
        nullable: true,
        y: [{ $data: {}, id: {} }],
      },
    },
    { x: { y: [{ $data: {}, id: {} }] } },
  ],
  [
    'a place that a reference leads to',
    'openapi',
    { $ref: '#/x/y', x: { y: { type: 'string', nullable: true } } },
    { $ref: '#/x/y', x: { y: { type: ['string', 'null'] } } },
  ],
  [
    'a draft that is named where no keyword leads to',
    'openapi',
    { $ref: '#/x/y', x: { $schema: URIS['draft-07'], id: 'a', y: { type: 'a', nullable: true } } },
    { $ref: '#/x/y', x: { $schema: URIS['draft-07'], y: { type: ['a', 'null'] } } },
  ],
  ['nothing', 'openapi', { x: null, y: [null] }, { x: null, y: [null] }],
  [
    'an identifier beside $ref in draft-04',
    'draft-04',
    { $ref: '#/definitions/a', id: 'b', definitions: { a: {} } },
    { id: 'b', $ref: '#/definitions/a', definitions: { a: {} } },
  ],
  [
    'an identifier beside $ref in draft-07',
    'draft-07',
    { $ref: '#/$defs/a', $id: 'b', id: 'c', $defs: { a: {} } },
    { $id: 'b', $ref: '#/$defs/a', $defs: { a: {} } },
  ],
  [
    '`__proto__`',
    'openapi',
    JSON.parse('{"properties":{"__proto__":{"type":"string","nullable":true}}}'),
    JSON.parse('{"properties":{"__proto__":{"type":["string","null"]}}}'),
  ],
];

it('nullable stays beside what may refuse null', () => {
  for (const name of ['$ref', 'const', 'allOf', 'anyOf', 'oneOf', 'not', 'if']) {
    const { text } = read({ type: 'a', nullable: true, [name]: 'b' });
    expect(JSON.parse(text)).toEqual({ type: ['a', 'null'], nullable: true, [name]: 'b' });
  }
});

it.each(TRANSLATED)('%s, in %s', (_name, dialect, schema, text) => {
  expect(read({ $schema: URIS[dialect], ...schema }).text).toBe(JSON.stringify(text));
});
