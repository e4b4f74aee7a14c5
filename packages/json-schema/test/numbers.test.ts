import { expect, it } from 'vitest';
import { mustCheck } from './support/checks.ts';

/** Schemas, each with numbers that the schema accepts and numbers that it refuses. */
const NUMBERS: [schema: object, valid: string, invalid: string][] = [
  // Twitter identifiers, and InfluxDB timestamps in nanoseconds
  [{ type: 'integer' }, '9007199254740993 1266987126345306113 1712345678123456789', '1.5'],
  [{ type: 'integer' }, '1.0 1e2 12345678901234567891.0 1e-400', '0.5 1e-300'],
  [{ type: 'number' }, '10000.0000000000001 4e-324 9007199254740992.5', '"1" 1e400'],
  [{ type: 'integer', format: 'int64' }, '9223372036854775807 -9223372036854775808', '1e19'],
  [{ maximum: 2 ** 63 }, '9223372036854775807', '9223372036854777856'],
  [{ const: 9007199254740992 }, '9007199254740992 9007199254740992.0', '9007199254740994'],
  [{ multipleOf: 0.01 }, '100.01 0.1 1e3 19.99', '100.015 19.999'],
  [{ multipleOf: 1 }, '1', '1e-10'],
  [{ multipleOf: 0.123456789 }, '0.123456789', '1e308'],
  [{ multipleOf: 2 }, '4 9007199254740994', '3 4e-324'],
  [{ multipleOf: 3 }, '-9 0 -0 3e21', '-10'],
  [{ multipleOf: 0.1 }, '0.3', '0.35'],
  [{ multipleOf: 2.5e-7 }, '1e-6', '1.1e-6'],
  [{ minimum: 0, maximum: 1 }, '0.30000000000000004 0.0023064255714416504', '1.0000000000000002'],
];

it('checks numbers as JSON parsing reads them', () => {
  for (const [schema, valid, invalid] of NUMBERS) {
    const check = mustCheck(schema);
    for (const [texts, count] of [
      [valid, 0],
      [invalid, 1],
    ] as const)
      for (const text of texts.split(' ')) {
        const found = check(text);
        expect([schema, text, Math.min(1, found.length)]).toEqual([schema, text, count]);
      }
  }
});
