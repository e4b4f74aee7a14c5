import { type Examiner, Refusal } from '@gatehouse/http-executor';
import { expect, it } from 'vitest';
import { type Draft, judgeDraft } from '../../../bench/json-schema/suite.ts';
import { ajvCheck } from '../src/schema/ajv-check.ts';
import type { Check } from '../src/schema/body-check.ts';
import { type ReadSchema, readSchema } from '../src/schema/reading/read.ts';
import { referenceCheck } from '../src/schema/reference/check.ts';

/** Judges by the reference validator alone, whatever Ajv could judge. */
const examiner = {
  compile: async (schema: object) => {
    try {
      return { check: referenceCheck(readSchema(JSON.stringify(schema))) };
    } catch (error) {
      throw new Refusal('InvalidResponseSchema', (error as Error).message);
    }
  },
  examine: async ({ bytes, schema }: { bytes: Buffer; schema: { check: Check } }) => {
    return { violations: schema.check(JSON.parse(bytes.toString())) };
  },
} as unknown as Examiner;

// The rest has meta-schemas of its own, or refers into data.
it.each<[Draft, required: number, optional: number]>([
  ['draft2020-12', 1_119, 152],
  ['draft2019-09', 1_108, 0],
  ['draft7', 811, 0],
  ['draft6', 775, 0],
  ['draft4', 574, 0],
])('the suite of %s', async (draft, required, optional) => {
  const { right, wrong } = await judgeDraft(examiner, draft);
  expect(wrong).toEqual([]);
  expect(right).toEqual({ required, optional });
});

/** Schemas, each with a value, and what Ajv says of it. */
const JUDGED: [schema: object, value: unknown][] = [
  ...[
    [{ type: 'string' }, 1],
    [{ type: ['null', 'integer'] }, 1.5],
    [{ const: 1 }, 2],
  ],
  ...[
    [{ enum: [1, { a: 1 }] }, { a: 2 }],
    [{ minimum: 2 }, 1],
    [{ maximum: 2 }, 3],
  ],
  ...[
    [{ exclusiveMinimum: 2 }, 2],
    [{ exclusiveMaximum: 2 }, 2],
    [{ multipleOf: 2 }, 3],
  ],
  ...[
    [{ minLength: 2 }, '\u{1f600}'],
    [{ maxLength: 2 }, 'abc'],
    [{ pattern: '^a' }, 'b'],
  ],
  ...[
    [{ minItems: 2 }, [1]],
    [{ maxItems: 2 }, [1, 2, 3]],
    [{ uniqueItems: true }, [1, 1]],
  ],
  ...[
    [{ minProperties: 1 }, {}],
    [{ maxProperties: 1 }, { a: 1, b: 2 }],
    [{ not: {} }, 1],
  ],
  ...[
    [{ required: ['a', 'b'] }, {}],
    [{ items: { type: 'null' } }, [1, null, 2]],
  ],
  ...[[{ properties: { 'a/b~': { type: 'null' } } }, { 'a/b~': 1 }]],
  ...[
    [
      { properties: { a: {} }, additionalProperties: false },
      { a: 1, b: 2 },
    ],
  ],
  ...[[{ additionalProperties: { type: 'null' } }, { b: 2 }]],
  ...[[{ patternProperties: { '^a': { type: 'null' } } }, { ab: 1 }]],
  ...[[{ dependentSchemas: { a: { required: ['b'] } } }, { a: 1 }]],
  ...[
    [{ allOf: [{ type: 'null' }, { minimum: 2 }] }, 1],
    [{ allOf: [false] }, 1],
  ],
  ...[
    [{ anyOf: [{ type: 'null' }, { minimum: 2 }] }, 1],
    [{ oneOf: [{}, {}] }, 1],
  ],
  ...[
    [{ oneOf: [{ type: 'null' }, { minimum: 2 }] }, 1],
    [JSON.parse('{"if":{},"then":{"const":2}}'), 1],
  ],
  ...[
    [{ if: false, else: { const: 2 } }, 1],
    [{ unevaluatedProperties: false }, { a: 1 }],
  ],
  [{ $ref: '#/$defs/a', $defs: { a: { type: 'null' } } }, 1],
  ...['date', 'email', 'regex', 'uuid', 'json-pointer', 'byte'].map((format) => [{ format }, '(']),
  ...[
    [{ format: 'int32' }, 2 ** 40],
    [{ format: 'double' }, 1.5],
    [{ format: 'date' }, 1],
  ],
  ...[
    [{ format: 'int32' }, 'a'],
    [{ format: 'url' }, 'a'],
    [{ format: 'unknown' }, 'a'],
  ],
  ...[
    [{ format: 'date' }, '2026-11-22'],
    [{ format: 'int32' }, 7],
    [{ format: 'toString' }, 'a'],
  ],
] as [object, unknown][];

/** What it says in other words: of a list as a whole, and of a name by name. */
const OWN_WORDS: [schema: object, value: unknown, message: string][] = [
  [{ items: false }, [1], 'must NOT have more than 0 items'],
  [{ prefixItems: [{ const: 2 }], items: false }, [1, 2], 'must NOT have more than 1 items'],
  [{ unevaluatedItems: false }, [1], 'must NOT have unevaluated items'],
  [{ contains: { const: 1 } }, [2], 'must contain at least 1 valid item(s)'],
  [{ contains: { const: 1 }, minContains: 2 }, [1], 'must contain at least 2 valid item(s)'],
  [{ contains: { const: 1 }, maxContains: 1 }, [1, 1], 'must contain at most 1 valid item(s)'],
  [{ dependentRequired: { a: ['b'] } }, { a: 1 }, "must have required property 'b'"],
  [{ propertyNames: { maxLength: 1 } }, { ab: 1 }, "property name 'ab' is not valid"],
];

it('says of a violation what Ajv says, or the like', () => {
  const read = (schema: object): ReadSchema => {
    return { dialect: '2020-12', text: JSON.stringify(schema), engine: 'ajv' };
  };
  for (const [schema, value] of JUDGED)
    expect(referenceCheck(read(schema))(value), JSON.stringify(schema)).toEqual(
      ajvCheck(read(schema))(value),
    );
  const nulls = { items: { type: 'null' } };
  for (const schema of [nulls, { allOf: [nulls, nulls] }, { anyOf: [{ allOf: [nulls, nulls] }] }])
    for (const length of [10, 20, 21]) {
      const value = Array.from({ length }, () => 1);
      expect(referenceCheck(read(schema))(value)).toEqual(ajvCheck(read(schema))(value));
    }
  for (const [schema, value, message] of OWN_WORDS)
    expect(referenceCheck(read(schema))(value)).toEqual([
      { pointer: '', message: `the body ${message}` },
    ]);
});
