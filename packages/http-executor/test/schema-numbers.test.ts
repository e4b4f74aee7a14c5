import { afterAll, expect, it } from 'vitest';
import { violationsOf } from '../../../bench/json-schema/suite.ts';
import { createExaminer } from '../src/response/examiner.ts';

const examiner = createExaminer(1024 * 1024);
afterAll(() => examiner.close());

const int64 = { type: 'integer', format: 'int64' };
const inHundredths = { multipleOf: 0.01 };

/** Schemas with numbers that they accept and refuse, as they are written. */
const NUMBERS: [schema: object, valid: string, invalid: string][] = [
  // Identifiers of Twitter, and nanoseconds of InfluxDB
  [{ type: 'integer' }, '9007199254740993 1266987126345306113 1712345678123456789', '1.5'],
  [
    { type: 'integer' },
    '1.0 1e2 12345678901234567891.0 1.2345678901234567891e25',
    '1e-400 -1e-999',
  ],
  [{ type: 'integer' }, '10000 10000.00000000000000', '10000.0000000000001 9999.99999999999999999'],
  [{ type: 'integer' }, '4503599627370497', '4503599627370497.3 -9007199254740992.5'],
  [{ type: 'number' }, '10000.0000000000001 1e-400 9007199254740993 9007199254740992.5', '"1"'],
  [{ maximum: 9007199254740992 }, '9007199254740992 9007199254740991', '9007199254740993'],
  [{ minimum: -9007199254740992 }, '-9007199254740992', '-9007199254740993'],
  [{ exclusiveMaximum: 1 }, '0.99999999999999999999 0.5', '1 1.00000000000000000001'],
  [{ exclusiveMinimum: 0 }, '1e-400 0.1', '0 -1e-400 0.0'],
  [{ minimum: 0.1 }, '0.1 0.10000000000000000001', '0.09999999999999999999'],
  // What ends int64 has no double itself.
  [{ ...int64, maximum: 2 ** 63 }, '9223372036854775807 1', '9223372036854775808'],
  [int64, '9223372036854775807 -9223372036854775808', '9223372036854775808 -9223372036854775809'],
  [{ maximum: 2 ** 63 }, '9223372036854775807', '9223372036854777856'],
  [{ const: 9007199254740992 }, '9007199254740992 9007199254740992.0', '9007199254740993'],
  [{ enum: [1, 10000] }, '1 10000', '1.00000000000000000001 10000.0000000000001'],
  [
    { enum: [9007199254740992, 9007199254740994] },
    '9007199254740992 9007199254740994',
    '9007199254740993',
  ],
  [{ const: { a: [1] } }, '{"a":[1.00]}', '{"a":[1.00000000000000000001]}'],
  [{ const: 9007199254740996 }, '9007199254740996', '9007199254740995 9007199254740997'],
  [
    inHundredths,
    '100.01 0.1 9007199254740993 1e3',
    '100.010000000000000001 0.00000000000000000001',
  ],
  [{ multipleOf: 2 }, '4 9007199254740994', '3 9007199254740993 9007199254740992.5'],
  // Floats as Python and JavaScript write them
  [{ minimum: 0, maximum: 1 }, '0.30000000000000004 0.0023064255714416504', '1.0000000000000002'],
];

it('schemas judge numbers by their digits', async () => {
  for (const [schema, valid, invalid] of NUMBERS) {
    const compiled = await examiner.compile(schema);
    // On a thread, then on the calling thread.
    for (const _time of [1, 2, 3]) {
      await examiner.compile(schema);
      for (const [texts, count] of [
        [valid, 0],
        [invalid, 1],
      ] as const) {
        for (const text of texts.split(' ')) {
          const found = await violationsOf(examiner, compiled, text);
          expect([schema, text, Math.min(1, found.length)]).toEqual([schema, text, count]);
        }
      }
    }
  }
});

it('a number with more digits than can be judged is named', async () => {
  const compiled = await examiner.compile({ items: { multipleOf: 2 } });
  const found = await violationsOf(examiner, compiled, '["ü",9007199254740993]');
  const shown = '/1 is the number `9007199254740993`, with more digits than the schema can judge';
  expect(found).toMatchObject([{ message: shown }]);
});

it('numbers with stand-ins leave the rest of a document as it is', async () => {
  const schema = { items: { enum: [1, 'ü1.00000000000000000001', [2]] } };
  const compiled = await examiner.compile(schema);
  const body = '["ü1.00000000000000000001",1.00000000000000000001,[2.0],1.00000000000000000001,1]';
  const found = await violationsOf(examiner, compiled, body);
  expect(found.map(({ pointer }) => pointer)).toEqual(['/1', '/3']);
});
