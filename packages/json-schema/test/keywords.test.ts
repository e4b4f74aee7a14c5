import { expect, it } from 'vitest';
import { mustCheck } from './support/checks.ts';

const FIVE_THOUSAND = JSON.stringify(Array(5_000).fill(1));
const strings = { items: { type: 'string' } };
const numbers = { items: { type: 'number' } };

/** Schemas with keywords that Ajv evaluates wrongly for some bodies, and JSON of such bodies. */
const VERDICTS: [schema: object | string, valid: string[], invalid: string[]][] = [
  [{ const: { constructor: {} } }, ['{"constructor":{}}'], ['{}']],
  [{ not: { const: { toString: 1 } } }, ['{"toString":2}'], ['{"toString":1}']],
  [{ enum: [1, { constructor: {} }] }, ['{"constructor":{}}', '1'], ['{"constructor":1}']],
  [
    { uniqueItems: true },
    ['[{"constructor":{}},{"constructor":{"a":1}}]'],
    [
      '["__proto__","__proto__"]',
      '[{"constructor":{}},{"constructor":{}}]',
      '[{"valueOf":1},{"valueOf":1}]',
      '[{"__proto__":1,"constructor":{"a":[null]}},{"constructor":{"a":[null]},"__proto__":1}]',
    ],
  ],
  [{ format: 'date', formatMinimum: '2020-01-01' }, ['"2000-01-01"'], ['"now"']],
  // Bodies with thousands of errors in a branch that is allowed to fail.
  [{ anyOf: [strings, numbers] }, [FIVE_THOUSAND], ['[true]']],
  [{ not: strings }, [FIVE_THOUSAND], ['[]']],
  ['{"const":9007199254740993}', ['9007199254740992'], ['1']],
  ['{"maximum":9223372036854775807}', ['7'], ['1e19']],
];

it.each(VERDICTS)('%j', (schema, valid, invalid) => {
  const check = mustCheck(schema);
  const isValid = (body: string) => check(body).length === 0;
  expect([...valid, ...invalid].filter(isValid)).toEqual(valid);
});
