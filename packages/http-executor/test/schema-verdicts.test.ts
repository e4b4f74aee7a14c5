import { createExaminer } from '@gatehouse/http-executor';
import { JsonText } from '@gatehouse/json-text';
import { afterAll, expect, it } from 'vitest';
import { violationsOf } from '../../../bench/json-schema/suite.ts';

const examiner = createExaminer(1024 * 1024);
afterAll(examiner.close);

const nullable = { anyOf: [{ type: 'string' }, { type: 'null' }] };
const base = { $defs: { base: { properties: { id: {} } } }, allOf: [{ $ref: '#/$defs/base' }] };
const closed = { unevaluatedProperties: false };
const branch = { properties: { a: {} } };

/** More than this many errors are not kept, 1,000 are. */
const ones = (count: number) => `[${Array(count).fill('1').join(',')}]`;
const strings = { items: { type: 'string' } };
const viaRef = { items: { $ref: '#/$defs/text' }, $defs: { text: { type: 'string' } } };
const numbers = { items: { type: 'number' } };

const CODE = 'vErrors.push(1)';
const raw = (text: string) => new JsonText(text);

const VERDICTS: [
  name: string,
  verdict: 'valid' | 'invalid' | 'refused',
  schema: object,
  body: string,
][] = [
  ['cents', 'valid', { multipleOf: 0.01 }, '19.99'],
  ['less than a cent', 'invalid', { multipleOf: 0.01 }, '19.999'],
  ['a tiny fraction of one', 'invalid', { multipleOf: 1 }, '1e-10'],
  ['a quotient beyond floats', 'invalid', { multipleOf: 0.123456789 }, '1e308'],
  ['a closed extension, kept to', 'valid', { ...base, ...closed }, '{"id":1}'],
  ['a closed extension, not kept to', 'invalid', { ...base, ...closed }, '{"id":1,"b":2}'],
  ['a closed object with properties in a union', 'valid', { ...closed, anyOf: [branch] }, '{}'],
  [
    'a closed object with a nullable member',
    'valid',
    { ...closed, properties: { a: nullable } },
    '{"a":null}',
  ],
  ['unevaluated properties and `if`', 'refused', { ...closed, if: branch }, '{"b":1}'],
  [
    'unique `__proto__` strings',
    'invalid',
    { items: { type: 'string' }, uniqueItems: true },
    '["__proto__","__proto__"]',
  ],
  [
    'unique objects with a `constructor`',
    'invalid',
    { uniqueItems: true },
    '[{"constructor":{}},{"constructor":{}}]',
  ],
  [
    'unique objects with a `valueOf`',
    'invalid',
    { uniqueItems: true },
    '[{"valueOf":1},{"valueOf":1}]',
  ],
  [
    'unique values of different types',
    'valid',
    { uniqueItems: true },
    '[1,"1",true,null,[1],{"a":1},{"a":2}]',
  ],
  [
    'a constant with a `constructor`',
    'valid',
    { const: { constructor: {} } },
    '{"constructor":{}}',
  ],
  ['a constant in another order', 'valid', { const: { a: 1, b: [2] } }, '{"b":[2],"a":1}'],
  [
    'not the constant with a `toString`',
    'invalid',
    { not: { const: { toString: 1 } } },
    '{"toString":1}',
  ],
  [
    'one of several with a `constructor`',
    'valid',
    { enum: [1, { constructor: {} }] },
    '{"constructor":{}}',
  ],
  ['none of several', 'invalid', { enum: [1, 'a', null] }, '"1"'],
  [
    'a keyword that the draft does not have',
    'valid',
    { format: 'date', formatMinimum: '2020-01-01' },
    '"2000-01-01"',
  ],
  ['scripts that use a character', 'invalid', { pattern: '^\\p{Script_Extensions=Greek}$' }, '"a"'],
  ['1,000 wrong items', 'invalid', strings, ones(1_000)],
  ['1,001 wrong items', 'invalid', strings, ones(1_001)],
  ['100,000 wrong items, by reference', 'invalid', viaRef, ones(100_000)],
  [
    '1,000 items that are wrong in one branch alone',
    'valid',
    { anyOf: [strings, numbers] },
    ones(1_000),
  ],
  [
    '5,000 items that are wrong in one branch alone',
    'valid',
    { anyOf: [strings, numbers] },
    ones(5_000),
  ],
  [
    '5,000 items, wrong by reference in one branch',
    'valid',
    { ...viaRef, items: { anyOf: [viaRef.items, {}] } },
    ones(5_000),
  ],
  [
    '5,000 items, one of which has to be right',
    'valid',
    { contains: { const: 2 } },
    `${ones(5_000).slice(0, -1)},2]`,
  ],
  ['5,000 items that may not be right', 'valid', { not: strings }, ones(5_000)],
  [
    'a name that reads like code',
    'valid',
    { required: [CODE], properties: { [CODE]: {} } },
    `{"${CODE}":1}`,
  ],
  [
    'a name that reads like code, missing',
    'invalid',
    { required: [CODE] },
    '{"self.limited(vErrors).push(1)":1}',
  ],
  [
    'a constant with digits that no double holds',
    'valid',
    raw('{"const":9007199254740993}'),
    '9007199254740992',
  ],
  ['a constant larger than any double', 'refused', raw('{"const":1e400}'), 'null'],
  ['a bound that no double holds', 'valid', raw('{"maximum":9223372036854775807}'), '7'],
];

it.each(VERDICTS)('%s: %s', async (_name, verdict, schema, text) => {
  // From the third time on a plain schema is judged on the calling thread.
  for (const _time of [1, 2, 3, 4]) {
    const compiled = await examiner.compile(schema).catch(() => undefined);
    const violations = compiled && (await violationsOf(examiner, compiled, text));
    expect(
      violations === undefined ? 'refused' : violations.length === 0 ? 'valid' : 'invalid',
    ).toBe(verdict);
  }
});
