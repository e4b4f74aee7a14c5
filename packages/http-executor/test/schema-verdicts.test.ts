import { createResponseSchemas } from '@gatehouse/http-executor';
import { afterAll, expect, it } from 'vitest';

const schemas = createResponseSchemas();
afterAll(schemas.close);

const nullable = { anyOf: [{ type: 'string' }, { type: 'null' }] };
const base = { $defs: { base: { properties: { id: {} } } }, allOf: [{ $ref: '#/$defs/base' }] };
const closed = { unevaluatedProperties: false };
const branch = { properties: { a: {} } };

const VERDICTS: [name: string, verdict: 'valid' | 'invalid' | 'refused', schema: object, body: string][] = [
  ['cents', 'valid', { multipleOf: 0.01 }, '19.99'],
  ['less than a cent', 'invalid', { multipleOf: 0.01 }, '19.999'],
  ['a tiny fraction of one', 'invalid', { multipleOf: 1 }, '1e-10'],
  ['a quotient beyond floats', 'invalid', { multipleOf: 0.123456789 }, '1e308'],
  ['a closed extension, kept to', 'valid', { ...base, ...closed }, '{"id":1}'],
  ['a closed extension, not kept to', 'invalid', { ...base, ...closed }, '{"id":1,"b":2}'],
  ['a closed object with properties in a union', 'refused', { ...closed, anyOf: [branch] }, '{}'],
  ['a closed object with a nullable member', 'valid', { ...closed, properties: { a: nullable } }, '{"a":null}'],
  ['unevaluated properties and `if`', 'refused', { ...closed, if: branch }, '{}'],
  ['`__proto__` as a property', 'refused', JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'), '{}'],
];

it.each(VERDICTS)('%s: %s', async (_name, verdict, schema, text) => {
  // The second time a plain schema is judged on the calling thread.
  for (const _time of [1, 2]) {
    const check = await schemas.compile(schema as Record<string, unknown>).catch(() => undefined);
    const violations = await check?.({ text, json: JSON.parse(text) }, new AbortController().signal);
    expect(violations === undefined ? 'refused' : violations.length === 0 ? 'valid' : 'invalid').toBe(verdict);
  }
});
