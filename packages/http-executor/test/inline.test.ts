import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ambiguities } from '../src/response/validate.ts';
import { compileCheck } from '../src/schema/check.ts';
import { inlineCheck } from '../src/schema/inline.ts';

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

  it.each([
    ['a name that is not ASCII', { properties: { é: { type: 'integer' } } }],
    ['a value that is not ASCII', { const: '日' }],
    ['a pattern', { pattern: 'a' }],
  ])('is not made for a schema with %s', (_what, schema) => {
    expect(inlineCheck(JSON.stringify(schema))).toBeUndefined();
  });

  it('is not made for a schema that escapes a name', () => {
    const text = '{"properties":{"\\u00e9":{"type":"integer"}}}';
    expect(inlineCheck(text)).toBeUndefined();
  });

  /** Whether a document is JSON that validators agree on, read slowly. */
  const isSound = (document: string): boolean => {
    try {
      return ambiguities(Buffer.from(document)).length === 0;
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
      deep(20_000),
      `{"a":${deep(255)}}`,
      `{"a":${deep(256)}}`,
      '[{}',
      '"',
      '',
      '{"a" :1 , "b"\n:2}',
    ];
    expect(documents.map(admits)).toEqual(documents.map(isSound));
    expect(documents.map(isSound).filter(Boolean).length).toBe(8);
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
