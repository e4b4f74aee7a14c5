import { expect, it } from 'vitest';
import { mustCheck } from './checks.ts';

const DRAFT_04 = 'http://json-schema.org/draft-04/schema#';
const DRAFT_06 = 'http://json-schema.org/draft-06/schema#';
const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';
const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema';
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema';
const OPENAPI_31 = 'https://spec.openapis.org/oas/3.1/dialect/base';

const A = { type: 'string' };
const PLAIN = { $ref: '#/components/schemas/Plain' };
const EITHER = { enum: ['a', 2] };
const COMPONENTS = { components: { schemas: { Plain: A } } };
const nullableBeside = (schema: object) => ({ nullable: true, ...schema, ...COMPONENTS });
const BRANCHES = [
  { required: ['k'], properties: { k: {}, a: {} } },
  { required: ['b'], properties: { b: {} } },
];

const CONDITIONAL = JSON.parse(
  '{"if":{"required":["b"],"properties":{"b":{}}},"then":{"properties":{"a":{}}},"unevaluatedProperties":false}',
);

/** Schema with its valid and its invalid bodies. */
const VERDICTS: [name: string, schema: object, valid: unknown[], invalid: unknown[]][] = [
  ['everything', {}, [null, {}, [], 1], []],
  ['annotations only', { title: 'a', 'x-a': 1, example: 2, description: 'b' }, [null, 1], []],
  ['contains at the root', { contains: A }, [['a']], [[], [1]]],
  [
    'contains behind a reference',
    { items: { $ref: '#/$defs/a' }, $defs: { a: { contains: A } } },
    [[['a']]],
    [[['a'], []]],
  ],
  ['contains with a first item', { items: { contains: A, minItems: 1 } }, [[['a']]], [[['a'], []]]],
  ['unique items beside a tuple', { prefixItems: [{}, {}, A], uniqueItems: true }, [[1]], [[1, 1]]],
  [
    'a tuple of draft-07',
    { $schema: DRAFT_07, items: [A], additionalItems: false },
    [['a']],
    [[1], ['a', 1]],
  ],
  [
    'prefixItems, which 2019-09 ignores',
    { $schema: DRAFT_2019, prefixItems: [A], type: 'array' },
    [[1]],
    [1],
  ],
  [
    'unevaluated properties',
    { anyOf: BRANCHES, unevaluatedProperties: false },
    [{ k: 1, a: 1 }, { b: 1 }],
    [{ b: 1, a: 1 }],
  ],
  [
    'unevaluated properties of several items, behind a reference',
    {
      items: { $ref: '#/$defs/a' },
      $defs: { a: { anyOf: BRANCHES, unevaluatedProperties: false } },
    },
    [[{ k: 1, a: 1 }, { b: 1 }]],
    [
      [
        { k: 1, a: 1 },
        { b: 1, a: 1 },
      ],
    ],
  ],
  ['an `if` with `then` beside them', CONDITIONAL, [{ b: 1, a: 1 }, {}], [{ a: 1 }]],
  [
    'an embedded schema by its identifier',
    { $ref: 'a', $defs: { b: { $id: 'a', type: 'string' } } },
    ['a'],
    [1],
  ],
  [
    'an anchor',
    { items: { $ref: '#a' }, $defs: { b: { $anchor: 'a', type: 'string' } } },
    [['a']],
    [[1]],
  ],
  ['draft-04', { $schema: DRAFT_04, id: 'https://a.test/', items: [A, {}] }, [['a', 1]], [[1]]],
  [
    'a property called `id` in draft-04',
    { $schema: DRAFT_04, properties: { id: { type: 'integer' } } },
    [{ id: 1 }],
    [{ id: 'a' }],
  ],
  ['draft-06', { $schema: DRAFT_06, const: 1 }, [1], [2]],
  ['`id` since draft-06, a mere annotation', { items: { id: 'a', type: 'null' } }, [[null]], [[1]]],
  [
    'its own meta-schema',
    { $schema: DRAFT_07, $ref: DRAFT_07 },
    [{ type: 'string' }],
    [{ type: 'text' }],
  ],
  [
    'a copied meta-schema',
    {
      $schema: DRAFT_07,
      items: { $ref: DRAFT_07 },
      definitions: { a: { $id: DRAFT_07, type: 'object' } },
    },
    [[{}]],
    [[1]],
  ],
  ['the meta-schema of 2020-12', { $ref: DRAFT_2020 }, [{ type: 'string' }], [{ type: 'text' }]],
  [
    'OpenAPI 3.1 by name',
    { $schema: OPENAPI_31, type: 'string', nullable: true },
    ['a', null],
    [1],
  ],
  ['`$schema: null`', { $schema: null, type: 'null' }, [null], [1]],
  ['nullable', { type: 'string', nullable: true }, ['a', null], [1]],
  ['not nullable', { type: 'string', nullable: false }, ['a'], [null]],
  ['not nullable, without a type', { nullable: false, enum: ['a'] }, ['a'], [null]],
  [
    'nullable beside an enum, as OpenAPI says',
    { type: 'string', nullable: true, enum: ['a'] },
    ['a'],
    [null, 'b'],
  ],
  // Forms of `nullable` that TypeSpec, Swashbuckle, drf-spectacular and Directus generate.
  ['nullable without a type', { nullable: true, minLength: 2 }, [null, 'ab'], ['a']],
  ['nullable beside allOf', nullableBeside({ allOf: [PLAIN] }), ['a', null], [1]],
  [
    'nullable beside oneOf',
    nullableBeside({ oneOf: [PLAIN, { enum: [2] }] }),
    [2, 'b', null],
    [true],
  ],
  ['nullable beside $ref', nullableBeside(PLAIN), ['a', null], [1]],
  ['nullable beside not', nullableBeside({ not: EITHER }), ['b', null], [2]],
  [
    'nullable members',
    { properties: { a: nullableBeside(PLAIN) }, ...COMPONENTS },
    [{ a: null }, { a: 'b' }],
    [{ a: 1 }],
  ],
  ['data that looks nullable', { const: { nullable: true } }, [{ nullable: true }], [null, {}]],
  [
    'a discriminator and examples',
    {
      discriminator: { propertyName: 'a' },
      required: ['a'],
      examples: [{ $id: 'a' }],
      example: { $ref: 'b' },
      xml: { name: 'c' },
    },
    [{ a: 1 }],
    [{}],
  ],
  [
    'names of JavaScript',
    { required: ['toString'], properties: { constructor: A } },
    [{ toString: 1, constructor: 'a' }],
    [{}, { toString: 1, constructor: 1 }],
  ],
  [
    'an unknown property with such a name',
    { additionalProperties: false },
    [{}],
    [{ constructor: 1 }, JSON.parse('{"__proto__":1}')],
  ],
  [
    'a pattern for `__proto__`',
    { patternProperties: { '^__proto__$': A } },
    [JSON.parse('{"__proto__":"a"}')],
    [JSON.parse('{"__proto__":1}')],
  ],
  ['decimal fractions', { multipleOf: 0.01 }, [19.99, 100.01, 0.1, 1234567.89], [19.999, 100.015]],
  ['whole numbers', { type: 'integer', multipleOf: 3 }, [-9, 0, 3e9], [-10, 1.5]],
  ['formats that nobody knows', { format: 'toString' }, ['a', 1], []],
];

it.each(VERDICTS)('%s', (_name, schema, valid, invalid) => {
  const check = mustCheck(schema);
  const isValid = (body: unknown) => check(JSON.stringify(body)).length === 0;
  expect({ valid: valid.filter(isValid), invalid: invalid.filter(isValid) }).toEqual({
    valid,
    invalid: [],
  });
});

it('checks numbers as JSON parsing reads them', () => {
  const check = mustCheck({ type: 'integer', maximum: 2 ** 63 });
  for (const text of ['9007199254740993', '1.0', '1e2', '9223372036854775807', '-0'])
    expect(check(text), text).toEqual([]);
  expect(check('9223372036854777856')).toHaveLength(1);
});

it('reports a schema that refers to itself forever', () => {
  expect(mustCheck({ allOf: [{ $ref: '#' }] })('1')).toEqual([
    {
      pointer: '',
      message: 'the body could not be checked: the schema refers to itself too often',
    },
  ]);
});
