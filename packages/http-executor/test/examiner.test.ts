import { afterAll, describe, expect, it } from 'vitest';
import {
  type BodyToExamine,
  createExaminer,
  redactionRules,
  redactorFactory,
} from '../src/index.ts';

const MIB = 1024 * 1024;
const FACTS = { type: 'json', contentType: undefined, textChars: 20, cut: false } as const;
const TOKEN = 'abcdef-1234567890';
const redactor = redactorFactory(redactionRules())(new Map([['x-api-key', TOKEN]]));

const examiner = createExaminer(MIB);
afterAll(() => examiner.close());

const bodyOf = (bytes: Buffer, more: Partial<BodyToExamine> = {}): BodyToExamine => ({
  ...{ ...FACTS, bytes, redactor, schema: undefined },
  ...more,
});
const violationsIn = async (schema: object, body: string, by = examiner) => {
  const compiled = await by.compile(schema);
  const examined = await by.decodeValidateRedact(bodyOf(Buffer.from(body), { schema: compiled }));
  return 'violations' in examined ? examined.violations : examined;
};

/** Examines a body, and tries again as long as the examiner reports that it is too busy. */
async function examineInTime(body: BodyToExamine) {
  for (;;) {
    const examined = await examiner.decodeValidateRedact(body);
    if (examined.kind !== 'withheld' || !/busy with other/.test(examined.reason)) return examined;
  }
}

/**
 * Returns a schema that is different for each name, and exceeds any time budget when checked with a
 * matching body.
 */
const slowSchema = (name: string) => ({
  title: name,
  properties: { a: { pattern: '^(?=(a+)+$)' } },
});
const SLOW_BODY = JSON.stringify({ a: `${'a'.repeat(48)}!` });

describe('a body is examined the same way inline and on a thread', () => {
  const sizes = [MIB / 4, MIB / 2].flatMap((at) => [at - 1, at, at + 1]);
  it.each([...sizes, ...sizes.map((size) => size / 4)])('%i bytes', async (size) => {
    const bytes = Buffer.from(JSON.stringify(`${TOKEN} `.padEnd(Math.ceil(size) - 2, 'é')));
    const expected = bytes.toString().replace(TOKEN, 'REDACTED');
    const examined = await examiner.decodeValidateRedact(bodyOf(bytes));
    const text = await examiner.decodeValidateRedact(bodyOf(bytes, { type: 'text' }));
    expect('json' in examined && Buffer.from(examined.json).toString()).toBe(expected);
    expect('json' in text && JSON.parse(Buffer.from(text.json).toString())).toBe(expected);
  });
});

it('a body of 10 MiB may consist of escapes', { timeout: 30_000 }, async () => {
  const large = createExaminer(10 * MIB);
  const line = JSON.stringify(JSON.stringify({ id: 123, path: 'C:\\Users', text: 'a "b"' }));
  const bytes = Buffer.from(`[${`${line},`.repeat((9.5 * MIB) / line.length)}1]`);
  const examined = await large.decodeValidateRedact(bodyOf(bytes));
  expect('json' in examined && Buffer.from(examined.json).equals(bytes)).toBe(true);
  await large.close();
});

describe('a body with a schema', () => {
  it.each<[schema: object, body: string, pointers: string[]]>([
    [{ type: 'object', properties: { a: { type: 'integer' } } }, '{"a":1}', []],
    [{ type: 'object', properties: { a: { type: 'integer' } } }, '{"a":1.5}', ['/a']],
    [{ type: 'object' }, '{"a":1.5,"a":2}', ['/a']],
    [{ type: 'array' }, '[1e308,1e309]', ['/1']],
  ])('%j %s', async (schema, body, pointers) => {
    for (let round = 0; round < 2; round++) {
      const found = await violationsIn(schema, body);
      expect(found).toMatchObject(pointers.map((pointer) => ({ pointer })));
    }
  });

  it('may need six times the response limit, or 8 MiB, when it is parsed', async () => {
    const members = (bytes: number) => `[${'[],'.repeat(Math.floor(bytes / 72) - 2)}[]]`;
    const tooLarge = [{ message: expect.stringContaining('too much memory') }];
    expect(await violationsIn({}, members(8 * MIB))).toEqual([]);
    expect(await violationsIn({}, members(8 * MIB + 144))).toMatchObject(tooLarge);
    const larger = createExaminer(2 * MIB);
    expect(await violationsIn({}, members(12 * MIB), larger)).toEqual([]);
    await larger.close();
  });
});

it.each([
  ['is refused later', '', /earlier response.*took too much time.*simplify/],
  ['is not refused later if its body was larger than 1 MiB', ' '.repeat(MIB), undefined],
])('a schema that is too slow %s', { timeout: 30_000 }, async (name, padding, message) => {
  const schema = await examiner.compile(slowSchema(name));
  const body = bodyOf(Buffer.from(`${SLOW_BODY}${padding}`), { schema });
  expect(await examineInTime(body)).toMatchObject({
    kind: 'json',
    violations: [{ pointer: '', message: expect.stringContaining('longer than allowed') }],
  });
  const again = examiner.compile(slowSchema(name));
  if (message === undefined) expect(await again).toMatchObject({ schema: schema.schema });
  else await expect(again).rejects.toThrow(message);
});

it('an unexpected error on a thread is thrown, and does not refuse the schema', async () => {
  const schema = { title: 'on a thread that fails' };
  const compiled = await examiner.compile(schema);
  const body = bodyOf(Buffer.from('{}'), { schema: compiled, type: 'unknown' as never });
  await expect(examiner.decodeValidateRedact(body)).rejects.toThrow('not iterable');
  expect(await examiner.compile(schema)).toMatchObject({ schema: compiled.schema });
});
