import { expect, it } from 'vitest';
import { checkOf } from './support/checks.ts';

const nullable = { anyOf: [{ type: 'string' }, { type: 'null' }] };
const base = { $defs: { base: { properties: { id: {} } } }, allOf: [{ $ref: '#/$defs/base' }] };
const closed = { unevaluatedProperties: false };
const branch = { properties: { a: {} } };
const branchB = { properties: { b: { const: 2 } } };

/** Writes a JSON array of `count` ones. With `strings`, each item is an error. */
const ones = (count: number) => `[${Array(count).fill('1').join(',')}]`;
const strings = { items: { type: 'string' } };
const viaRef = { items: { $ref: '#/$defs/text' }, $defs: { text: { type: 'string' } } };
const numbers = { items: { type: 'number' } };

const CODE = 'vErrors.push(1)';
const VERDICTS: [
  name: string,
  verdict: 'valid' | 'invalid' | 'refused',
  schema: object | string,
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
  [
    'a closed object with a branch beside a reference',
    'valid',
    { $defs: { b: { properties: { b: {} } } }, $ref: '#/$defs/b', anyOf: [{}, branchB], ...closed },
    '{"b":1}',
  ],
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
    'a constant with a `constructor`',
    'valid',
    { const: { constructor: {} } },
    '{"constructor":{}}',
  ],
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
  [
    'unique objects with a `__proto__`, in another order',
    'invalid',
    { uniqueItems: true },
    '[{"__proto__":1,"constructor":{"a":[null]}},{"constructor":{"a":[null]},"__proto__":1}]',
  ],
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
    '1,000 items that are wrong in only one branch',
    'valid',
    { anyOf: [strings, numbers] },
    ones(1_000),
  ],
  [
    '5,000 items that are wrong in only one branch',
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
    '{"const":9007199254740993}',
    '9007199254740992',
  ],
  ['a constant larger than any double', 'refused', '{"const":1e400}', 'null'],
  ['a bound that no double holds', 'valid', '{"maximum":9223372036854775807}', '7'],
];

it.each(VERDICTS)('%s: %s', (_name, verdict, schema, text) => {
  const violations = checkOf(schema)?.(text);
  const found = violations && (violations.length === 0 ? 'valid' : 'invalid');
  expect(found ?? 'refused').toBe(verdict);
});
