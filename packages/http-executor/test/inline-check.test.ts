import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readForSchema } from '../src/response/read-for-schema.ts';
import { compileCheck } from '../src/schema/check.ts';
import { compileForBytes, inlineCheck } from '../src/schema/inline-check.ts';
import { numericWords } from '../src/schema/stand-ins.ts';

const STRINGS = [
  '""',
  '"abc"',
  '"Zoë"',
  '"日本"',
  '"😀"',
  '"§§"',
  '"\\u00e9"',
  '"\\u00c3\\u00a9"',
  '"\\u0080\\u0080"',
  '"\\ud83d\\ude00"',
  '"\\ud83d"',
  '"\\n\\""',
  '"é\\u0041"',
];
const SCHEMAS = [
  ...[0, 1, 2, 3, 4].flatMap((length) => [
    { items: { type: 'string', minLength: length } },
    { items: { type: 'string', maxLength: length } },
    { items: { maxProperties: length } },
    { items: { minProperties: length } },
  ]),
  { items: { enum: ['abc', 1] } },
  { items: { const: 'abc' } },
  { items: { required: ['a'] } },
  { items: { properties: { a: { type: 'integer' } }, additionalProperties: { type: 'string' } } },
];
const VALUES = [
  ...STRINGS,
  ...STRINGS.flatMap((name) => [`{${name}:1}`, `{${name}:"1","a":1}`]),
  '{"é":1,"\\u00c3\\u00a9":"2"}',
  '{"\\u00c3\\u00a9":1,"é":"2"}',
  '{"a":1,"é":"2","日":"3","§":"4"}',
];

describe('the check on the calling thread', () => {
  it('accepts only what the schema accepts, whatever the characters', () => {
    for (const schema of SCHEMAS) {
      const text = JSON.stringify(schema);
      const inline = inlineCheck(text);
      const check = compileCheck({ dialect: '2020-12', text, engine: 'ajv' });
      for (const value of VALUES) {
        const body = `[${value}]`;
        const valid = check(JSON.parse(body)).length === 0;
        if (inline?.(Buffer.from(body)) === true)
          expect([text, body, valid]).toEqual([text, body, true]);
      }
    }
  });

  it('accepts what is valid, but for a text near its greatest length that is not ASCII', () => {
    for (const schema of SCHEMAS.filter((each) => !JSON.stringify(each).includes('maxLength'))) {
      const text = JSON.stringify(schema);
      const inline = inlineCheck(text);
      const check = compileCheck({ dialect: '2020-12', text, engine: 'ajv' });
      for (const body of ['["abc"]', '["Zoë"]', '["日本"]', '["😀"]', '[{"a":1}]', '[{"é":"1"}]'])
        expect([text, body, inline?.(Buffer.from(body))]).toEqual([
          text,
          body,
          check(JSON.parse(body)).length === 0,
        ]);
    }
  });

  it('is made for keywords that take linear time, whatever holds them', () => {
    const plain: object[] = [
      ...[{ const: 1 }, { const: null }, { enum: ['a', null] }, { format: 'date' }],
      ...[{ items: false }, { title: 'a\n' }, { minProperties: 1 }],
    ];
    const costly: object[] = [
      ...['$ref', '$id', '$anchor', 'pattern', 'multipleOf'].map((word) => ({ [word]: '#' })),
      ...['not', 'if', 'contains', 'propertyNames', 'unknown'].map((word) => ({ [word]: {} })),
      ...['anyOf', 'oneOf', 'allOf'].map((word) => ({ [word]: [{}] })),
      ...['patternProperties', 'dependentSchemas', '$defs'].map((word) => ({ [word]: {} })),
      ...[{ uniqueItems: true }, { const: {} }, { const: [] }, { enum: 1 }, { enum: [1, {}] }],
      ...[{ format: 'email' }, { const: '日' }, { properties: { é: {} } }, { prefixItems: {} }],
    ];
    const within = (schema: object) => [
      schema,
      ...['items', 'additionalProperties'].map((word) => ({ [word]: schema })),
      ...[{ prefixItems: [{}, schema] }, { prefixItems: [schema, {}] }],
      ...[{ properties: { a: {}, b: schema } }, { properties: { a: schema, b: {} } }],
    ];
    for (const schema of plain.flatMap(within))
      expect(inlineCheck(JSON.stringify(schema)), JSON.stringify(schema)).toBeDefined();
    for (const schema of costly.flatMap(within))
      expect(inlineCheck(JSON.stringify(schema)), JSON.stringify(schema)).toBeUndefined();
  });

  it('is made for no schema that escapes a name, has wrong words, or more than 1,024 characters', () => {
    const titled = (chars: number) => JSON.stringify({ title: 'x'.repeat(chars - 12) });
    expect(inlineCheck('{"properties":{"\\u00e9":{"type":"integer"}}}')).toBeUndefined();
    expect(inlineCheck('{"type":"nothing"}')).toBeUndefined();
    expect([1_024, 1_025].map((chars) => inlineCheck(titled(chars)) !== undefined)).toEqual([
      true,
      false,
    ]);
  });

  it('is used up to 4 Mi characters of the schema times bytes of the body', () => {
    const schema = JSON.stringify({ title: 'x'.repeat(1_024 - 12) });
    const body = (bytes: number) => Buffer.from(JSON.stringify('x'.repeat(bytes - 2)));
    expect([4_096, 4_097].map((bytes) => inlineCheck(schema)?.(body(bytes)))).toEqual([
      true,
      false,
    ]);
  });

  /** Whether a document is JSON that validators agree on, read slowly. */
  const isSound = (document: string): boolean => {
    try {
      return readForSchema(Buffer.from(document), numericWords('{}')).violations.length === 0;
    } catch {
      return false;
    }
  };
  const admits = (document: string) => inlineCheck('{}')?.(Buffer.from(document));

  it('admits exactly the documents that validators agree on', () => {
    const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    const documents = [
      '{"a":1,"a":2}',
      '{"a":1,"\\u0061":2}',
      '{"é":1,"\\u00e9":2}',
      '{"a":{"b":1},"b":{"a":1}}',
      '[{"a":1},{"a":1}]',
      '{"__proto__":1}',
      '{"__proto__":1,"__proto__":1}',
      '{"a:b":":","c\\":":"\\\\"}',
      '{"1":1,"01":2,"1":3}',
      '1e400',
      '[{"a":-1e400}]',
      '1e308',
      `[${'9'.repeat(309)}]`,
      deep(256),
      deep(257),
      `[${'[{}],'.repeat(300)}[]]`,
      deep(20_000),
      `{"a":${deep(255)}}`,
      `{"a":${deep(256)}}`,
      '[{}',
      '"',
      '',
      '{"a" :1 , "b"\n:2}',
    ];
    expect(documents.map(admits)).toEqual(documents.map(isSound));
    expect(documents.map(isSound).filter(Boolean).length).toBe(9);
  });

  it('agrees with the slow reading on random documents', () => {
    const part = fc.constantFrom(...'{}[],:"\\', '"a"', '"b":', '"a":', '1', '{"a":1}', ' ');
    const text = fc.oneof(
      fc.array(part, { maxLength: 12 }).map((parts) => parts.join('')),
      fc.json(),
      fc
        .array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.json()), { maxLength: 4 })
        .map((members) => `{${members.map(([name, value]) => `"${name}":${value}`).join(',')}}`),
    );
    fc.assert(
      fc.property(text, (document) => {
        expect(admits(document)).toBe(isSound(document));
      }),
      { numRuns: 2_000 },
    );
  });
});

it('counts bytes as characters where a text is long, and characters where it is short', () => {
  const latin1 = (text: string) => Buffer.from(text).toString('latin1');
  const admits = (schema: object, texts: unknown[]) =>
    texts.map((text) =>
      compileForBytes(JSON.stringify(schema))(typeof text === 'string' ? latin1(text) : text),
    );
  expect(admits({ minLength: 2 }, ['a', 'ab', 'é', 'éé', '日', '😀', '😀a', 7])).toEqual([
    ...[false, true, false, true, false, false, true, true],
  ]);
  expect(admits({ maxLength: 2 }, ['', 'ab', 'abc', 'é', 'éé', '日', 777])).toEqual([
    ...[true, true, false, true, false, false, true],
  ]);
  expect(compileForBytes('{"minLength":2}')('\udc00a')).toBe(false);
});
