import { expect, it } from 'vitest';
import { compile, mustCheck } from './support/checks.ts';

const DRAFT_04 = 'http://json-schema.org/draft-04/schema#';
const DRAFT_06 = 'http://json-schema.org/draft-06/schema#';
const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';
const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema';
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema';
const OPENAPI_31 = 'https://spec.openapis.org/oas/3.1/dialect/base';

const recursive = ($recursiveAnchor: boolean) => ({
  ...{ $id: 'https://a.test/a', $recursiveAnchor, type: ['array', 'null'] },
  items: { $recursiveRef: '#' },
});
const a = { $dynamicAnchor: 'a', type: 'string' };
const text = { $anchor: 'a', type: 'string' };
const pet = { Pet: { type: 'string', nullable: true } };

const PLAIN = { $ref: '#/components/schemas/Plain' };
const EITHER = { enum: ['a', 2, null] };
const COMPONENTS = { components: { schemas: { Plain: { type: 'string' } } } };
const nullableMember = { properties: { a: { nullable: true, allOf: [PLAIN] } }, ...COMPONENTS };
const nullableBeside = (schema: object) => ({ nullable: true, ...schema, ...COMPONENTS });

const A = { type: 'string' };
const BESIDE = { $schema: DRAFT_07, $ref: '#/definitions/a', definitions: { a: A } };

/** Schema with its valid and its invalid bodies. */
type Verdicts = [name: string, schema: object, valid: unknown[], invalid: unknown[]];
const VERDICTS: Verdicts[] = [
  ['contains beside a tuple', { prefixItems: [A], contains: A }, [['a']], [[], [1]]],
  ['contains in a list', { items: { contains: A } }, [[['a']], []], [[['a'], []], [[]]]],
  ['limits of contains', { contains: A, maxContains: 2 }, [['a', 'b', 1]], [[], ['a', 'b', 'c']]],
  ['no limits in draft-07', { $schema: DRAFT_07, contains: A, minContains: 0 }, [['a']], [[]]],
  ['unique items beside a tuple', { prefixItems: [{}, {}, A], uniqueItems: true }, [[1]], [[1, 1]]],
  ['draft-04 tuple', { $schema: DRAFT_04, items: [{}, {}, A], uniqueItems: true }, [[1]], [[1, 1]]],
  ['a type beside $ref, which draft-07 ignores', { ...BESIDE, type: 'array' }, ['a'], [[], 1]],
  ['a named back-reference', { pattern: '^(?<n>a)\\k<n>$' }, ['aa'], ['ak<n>']],
  ['nullable', { type: 'string', nullable: true }, ['a', null], [1]],
  ['not nullable', { type: 'string', nullable: false }, ['a'], [null]],
  ['nullable without a type says nothing', { nullable: true, minLength: 2 }, [null, 1], ['a']],
  ['nullable beside an enum without null', { ...pet.Pet, enum: ['a'] }, ['a', null], ['b', 1]],
  ['nullable beside a constant', { ...pet.Pet, const: 'a' }, ['a', null], ['b']],
  // Forms of `nullable` that TypeSpec, Swashbuckle, drf-spectacular and Stripe generate.
  ['nullable beside allOf', nullableBeside({ allOf: [PLAIN] }), ['a', null], [1]],
  ['nullable beside anyOf', nullableBeside({ anyOf: [PLAIN, EITHER] }), ['b', 2, null], [true]],
  ['nullable beside oneOf', nullableBeside({ oneOf: [PLAIN, EITHER] }), [2, 'b', null], ['a']],
  ['nullable beside $ref', nullableBeside(PLAIN), ['a', null], [1]],
  ['nullable beside not', nullableBeside({ not: EITHER }), ['b', null], [2]],
  ['nullable beside if', nullableBeside({ if: EITHER, else: false }), [2, null], ['b']],
  ['nullable members', nullableMember, [{ a: null }, { a: 'b' }], [{ a: 1 }]],
  ['nullable in only one branch', { allOf: [PLAIN, pet.Pet], ...COMPONENTS }, ['a'], [null]],
  ['nullable in a draft without it', { $schema: DRAFT_07, ...pet.Pet }, ['a'], [null]],
  ['nullable in OpenAPI 3.1 by name', { $schema: OPENAPI_31, ...pet.Pet }, ['a', null], [1]],
  [
    'nullable where only a reference leads',
    { $ref: '#/components/schemas/Pet', components: { schemas: pet } },
    ['a', null],
    [1],
  ],
  [
    'a place named `id` where only a reference leads',
    {
      $ref: '#/components/headers/id/schema',
      components: { headers: { id: { schema: pet.Pet } } },
    },
    ['a', null],
    [1],
  ],
  [
    'a place named `type` where only a reference leads, in draft-07',
    {
      $schema: DRAFT_07,
      $ref: '#/a/type',
      a: { type: { $ref: '#/a/items', maximum: 1 }, items: { minimum: 0 } },
    },
    [7],
    [-1],
  ],
  [
    'a boolean named `id` where only a reference leads',
    { $ref: '#/a/id', a: { id: false } },
    [],
    [1],
  ],
  ['formats that no draft has', { format: 'url' }, ['http://10.0.0.1/x', 'toString'], []],
  [
    '`id`, a mere annotation',
    { items: { id: 'a', $schema: DRAFT_2020, type: 'null' } },
    [[null]],
    [[1]],
  ],
  ['a member twice in `required`', { $schema: DRAFT_07, required: ['a', 'a'] }, [{ a: 1 }], [{}]],
  [
    'a member `toString` in an enum',
    { $schema: DRAFT_07, enum: [{ toString: 1 }, { toString: 2 }, 'a', 'a'] },
    [{ toString: 2 }, 'a'],
    [{ toString: 3 }],
  ],
  ['an exclusive minimum as a boolean', { minimum: 1, exclusiveMinimum: true }, [2], [1, 0]],
  ['an inclusive maximum as a boolean', { maximum: 1, exclusiveMaximum: false }, [1], [2]],
  [
    'an exclusive minimum in draft-04',
    { $schema: DRAFT_04, minimum: 1, exclusiveMinimum: true },
    [2],
    [1],
  ],
  ['an exclusive bound without a bound', { type: 'integer', exclusiveMinimum: true }, [0], ['a']],
  [
    'a discriminator, examples and extensions',
    {
      discriminator: { propertyName: 'kind' },
      example: { nullable: true, typ: 'x', $ref: 'https://nowhere.test/' },
      examples: [{ $id: 'a' }, { $id: 'a' }],
      'x-typ': { typ: 1, $ref: 'https://nowhere.test/' },
      externalDocs: { url: 'https://a.test' },
      xml: { name: 'pet' },
      required: ['kind'],
    },
    [{ kind: 1 }],
    [{}],
  ],
  ['$async and $data mean nothing', { $async: true, $data: '/a', type: 'integer' }, [1], ['a']],
  ['if, unknown to draft-06', { $schema: DRAFT_06, if: false, else: false }, [1], []],
  ['if, known to draft-07', { $schema: DRAFT_07, if: false, else: false }, [], [1]],
  ['const, unknown to draft-04', { $schema: DRAFT_04, const: 1, type: 'integer' }, [2], ['a']],
  [
    'an embedded schema by its place, in draft-04',
    {
      $schema: DRAFT_04,
      id: 'https://a.test/root.json',
      items: { $ref: 'node.json#/definitions/id' },
      definitions: { n: { id: 'node.json', definitions: { id: { type: 'integer' } } } },
    },
    [[1]],
    [['a']],
  ],
  [
    'a place beside an `id` that is not an identifier after draft-04',
    {
      id: 'https://a.test/',
      items: { id: 'a', $ref: '#/components/schemas/b' },
      components: { schemas: { b: { minimum: 5, exclusiveMinimum: true } } },
    },
    [[6]],
    [[5]],
  ],
  [
    'an anchor called `undefined`',
    { items: { $ref: '#undefined' }, $defs: { a: { $anchor: 'undefined', type: 'integer' } } },
    [[1]],
    [['a'], [[]]],
  ],
  [
    'a place in the meta-schema of draft-04',
    { $schema: DRAFT_04, items: { $ref: `${DRAFT_04}/definitions/positiveInteger` } },
    [[0]],
    [[-1], ['a']],
  ],
  ...[DRAFT_04, DRAFT_06, DRAFT_07, DRAFT_2019, DRAFT_2020].map(
    (uri): Verdicts => [
      `its own meta-schema, ${uri}`,
      { $schema: uri, $ref: uri },
      [{ type: 'string', properties: { a: {} } }],
      [{ type: 'text' }, { properties: { a: { type: 1 } } }],
    ],
  ),
  [
    'bounds in the meta-schema of draft-04',
    { $schema: DRAFT_04, $ref: DRAFT_04 },
    [{ minimum: 1, exclusiveMinimum: true }],
    [{ exclusiveMinimum: true }, { minimum: 1, exclusiveMinimum: 1 }, { required: [] }],
  ],
  [
    'a meta-schema that is embedded',
    {
      $schema: DRAFT_07,
      items: { $ref: DRAFT_07 },
      definitions: { a: { $id: DRAFT_07, type: 'object' } },
    },
    [[{}]],
    [[1]],
  ],
  [
    'a dynamic reference with one anchor among embedded schemas',
    {
      $ref: 'list',
      $defs: {
        list: { $id: 'list', items: { $dynamicRef: '#a' }, $defs: { a } },
        other: { $id: 'other', $anchor: 'a', type: 'null' },
      },
    },
    [['a']],
    [[null]],
  ],
  [
    'a dynamic reference beside $ref',
    { items: { $dynamicRef: '#a', $ref: '#/$defs/b' }, $defs: { a, b: { minLength: 2 } } },
    [['ab']],
    [['a'], [1]],
  ],
  [
    'a recursive reference to an embedded schema with the only anchor',
    { $schema: DRAFT_2019, $ref: 'https://a.test/a', $defs: { a: recursive(true) } },
    [[[null]]],
    [1, [1], [[1]]],
  ],
  [
    'a recursive reference to an embedded schema without an anchor',
    {
      ...{ $schema: DRAFT_2019, $recursiveAnchor: true, maxItems: 1 },
      ...{ $ref: 'https://a.test/a', $defs: { a: recursive(false) } },
    },
    [[[null, null]]],
    [[1], [null, null]],
  ],
  [
    'the own anchor of an embedded schema',
    {
      ...{ $anchor: 'a', type: 'array', items: { $ref: 'https://a.test/a' } },
      $defs: { a: { $id: 'https://a.test/a', items: { $ref: '#a' }, $defs: { text } } },
    },
    [[['a']]],
    [[[1]]],
  ],
  [
    'a place in allOf beside a reference with its own base',
    {
      $id: 'https://a.test/root',
      items: { $ref: '#/$defs/a/allOf/0' },
      $defs: {
        a: { $id: 'a', $ref: 'root#/$defs/none', allOf: [{ type: 'string' }] },
        none: { type: 'null' },
      },
    },
    [['a']],
    [[null]],
  ],
  [
    'a name of JavaScript, by a pattern',
    { patternProperties: { '^__proto__$': { type: 'string' } } },
    [JSON.parse('{"__proto__":"a"}')],
    [JSON.parse('{"__proto__":1}')],
  ],
];

it.each(VERDICTS)('%s', (_name, schema, valid, invalid) => {
  const check = mustCheck(schema);
  const verdicts = [...valid, ...invalid].map((body) => [
    body,
    check(JSON.stringify(body)).length === 0,
  ]);
  expect(verdicts).toEqual([
    ...valid.map((body) => [body, true]),
    ...invalid.map((body) => [body, false]),
  ]);
});

const nested = (levels: number): object => (levels === 0 ? {} : { items: nested(levels - 1) });
const inA = (schema: object) => ({ properties: { a: schema } });
const inComponents = (schema: object) => ({
  items: { $ref: '#/components/schemas/c' },
  components: { schemas: { c: { $ref: '#/components/schemas/a~1b' }, 'a/b': schema } },
});

const nullableAny = { nullable: true, anyOf: [{ type: 'string' }] };
/** Schema with a reference to a subschema that translating `nullable` moves elsewhere. */
const MOVED = { items: { $ref: '#/properties/a/anyOf/0' }, properties: { a: nullableAny } };

const anchored = ($id: string) => ({ $id, ...a });

/** Uses of keywords that Ajv evaluates wrongly. */
const UNSUPPORTED: [pointer: string, schema: object, says?: string][] = [
  [
    '/items/$dynamicRef',
    { items: { $dynamicRef: '#a' }, $defs: { a: anchored('a'), b: anchored('b') } },
    'use `$ref`',
  ],
  [
    '/$defs/a/items/$recursiveRef',
    { $schema: DRAFT_2019, $recursiveAnchor: true, $ref: 'a', $defs: { a: recursive(true) } },
  ],
  [
    '/$defs/a/$schema',
    { $schema: DRAFT_2020, $defs: { a: { $schema: DRAFT_07, $id: 'a' } } },
    'name the same dialect as the root schema',
  ],
  [
    '/$defs/a/$schema',
    { $schema: DRAFT_2020, $defs: { a: { $schema: DRAFT_04, id: 'a' } } },
    'same dialect',
  ],
  [
    '/definitions/a/$schema',
    { $schema: DRAFT_04, definitions: { a: { $schema: DRAFT_2020, $id: 'a' } } },
    'same dialect',
  ],
  ['/properties/__proto__', JSON.parse('{"properties":{"__proto__":{}}}'), '`patternProperties`'],
];

const TWICE = { $defs: { a: { $id: 'a' }, b: { $id: 'a', type: 'null' } } };

const REFUSALS: [says: string, pointer: string, schema: object | string][] = [
  [
    'must be array, not `"a"`',
    '/components/schemas/a~1b/required',
    inComponents({ required: 'a' }),
  ],
  ['string, not `"text"`', '/properties/a/type', inA({ type: 'text' })],
  ['must be >= 0; it is `-1`', '/properties/a/minLength', inA({ minLength: -1 })],
  [
    'is `"("`, which is not an ECMAScript regular expression',
    '/properties/a/pattern',
    inA({ pattern: '(' }),
  ],
  [
    'which is not an ECMAScript regular expression',
    '/patternProperties/(',
    { patternProperties: { '(': {} } },
  ],
  ['use `prefixItems`', '/properties/a/items', inA({ items: [{}] })],
  [
    '`"#/$defs/b"`, which is not part of this schema and is never fetched; add the missing schema at that place',
    '/properties/a/$ref',
    inA({ $ref: '#/$defs/b' }),
  ],
  ['is never fetched', '/$ref', { $ref: 'https://a.test/b' }],
  [
    '`"#b"`, which is not',
    '/items/unevaluatedItems/$ref',
    { items: { unevaluatedItems: { $ref: '#b' } } },
  ],
  ['move that part under `$defs`', '/items/$ref', MOVED],
  ...UNSUPPORTED.map(([pointer, schema, says = 'is not supported']): (typeof REFUSALS)[number] => [
    says,
    pointer,
    schema,
  ]),
  ['2020-12/schema`; it is `"https://a.test/b"`', '/$schema', { $schema: 'https://a.test/b' }],
  ['must be omitted or be one of', '/$schema', { $schema: 7 }],
  ['over 64 nesting levels', '', nested(64)],
  ['over 30000 objects and arrays', '', { enum: Array.from({ length: 30_000 }, () => []) }],
  ...['[]', 'null', 'true'].map((text): (typeof REFUSALS)[number] => [
    `the schema must be an object, but is \`${text}\``,
    '',
    text,
  ]),
  ['too large for a double', '/const', '{"const":1e400}'],
  ['too large for a double', '/allOf/0/enum/1/0', '{"allOf":[{"enum":[1,[-1e400]]}]}'],
  ['in JSON at position 1', '', '{'],
  ['refers to `"#b"`', '/items/$dynamicRef', { items: { $dynamicRef: '#b' } }],
  ['resolves to more than one', '/$defs/b/$id', TWICE],
  ['refers to `"b"`', '/items/$ref', { $id: 'https://b.test/a', items: { $ref: 'b' } }],
  ['there is no schema', '/items/$ref', { items: { $ref: '#/toString' } }],
  ['there is no schema', '/$ref', { $ref: '#/$defs/con%73tructor', $defs: {} }],
  ['schema is not allowed', '/enum/0', { enum: [{}], items: { $ref: '#/enum/0' } }],
  ['schema is not allowed', '/properties', { properties: {}, items: { $ref: '#/properties' } }],
];

it.each(REFUSALS)('refuses a schema: %s (%s)', (says, pointer, schema) => {
  const reason = expect.stringContaining(says);
  expect(compile(schema)).toEqual({ kind: 'invalid', pointer, reason });
});

it('knows the dialects of OpenAPI', () => {
  for (const version of ['3.0/schema/x', '3.10/dialect/base']) {
    const $schema = `https://spec.openapis.org/oas/${version}`;
    expect(compile({ $schema })).toMatchObject({ kind: 'compiled' });
  }
});

it.each([
  'json-schema.org/draft-07/https://schema',
  'https://json-schema.org/draft-03/schema',
  'a spec.openapis.org/oas/3.1/dialect/base',
  'https://spec.openapis.org/oas/2.0/schema',
  '',
])('refuses the unknown dialect %j', ($schema) => {
  expect(compile({ $schema })).toMatchObject({ kind: 'invalid', pointer: '/$schema' });
});

it('accepts 64 levels, 30,000 objects and arrays, and unusual places', () => {
  const wide = { allOf: Array.from({ length: 29_998 }, () => true), enum: [[], []] };
  for (const schema of [
    ...[nested(63), wide, { properties: { '(': {} } }, { x: { patternProperties: { '(': {} } } }],
    ...[{ properties: { patternProperties: { '(': {} } } }, { x: [{ $id: 'a' }], y: { $id: 'a' } }],
    ...['{"const":9007199254740993}', '{"maximum":1e308}'],
  ])
    expect(compile(schema)).toMatchObject({ kind: 'compiled' });
});

it('compiles a schema to JSON for Ajv', () => {
  expect(compile('{"type":"string","nullable":true,"example":{}}')).toEqual({
    kind: 'compiled',
    schema: { dialect: 'openapi', text: '{"type":["string","null"]}' },
  });
});

it('shortens messages to 8 KiB', () => {
  const name = 'x'.repeat(9_000);
  expect(compile({ properties: { [name]: { type: 1 } } })).toMatchObject({
    kind: 'invalid',
    pointer: `/properties/${name}`.slice(0, 8 * 1024),
  });
});
