import { expect, it } from 'vitest';
import { checkBody, maxInlineBytes } from '../../src/json-schema/check.ts';
import { compileSchema } from '../../src/json-schema/compile.ts';

const bytesFor = (schema: object | string) =>
  maxInlineBytes(typeof schema === 'string' ? schema : JSON.stringify(schema));
const within = (member: object) => ({ anyOf: [{ properties: { a: member } }] });
/** A schema with this number of characters. */
const sized = (chars: number) => ({ enum: ['x'.repeat(chars - '{"enum":[""]}'.length)] });

it('is the size for which schema times body is 4 MiB, and at most 64 KiB', () => {
  expect(
    [2, 64, 65, 4_096, 8_192, 8_193].map((chars) =>
      chars === 2 ? bytesFor({}) : bytesFor(sized(chars)),
    ),
  ).toEqual([65_536, 65_536, 64_527, 1_024, 512, 0]);
});

it.each([
  { $ref: '#' },
  { $dynamicRef: '#' },
  { $recursiveRef: '#' },
  { uniqueItems: true },
  { multipleOf: 1e-300 },
  { pattern: '(x+x+)+y' },
  { patternProperties: { x: {} } },
  { unevaluatedItems: false },
  { unevaluatedProperties: false },
  { format: 'regex' },
  { format: 'uri-template' },
])('is 0 for %j, however it is written', (member) => {
  const text = JSON.stringify(within(member));
  const [name = ''] = Object.keys(member);
  const escaped = `"\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}"`;
  expect(bytesFor(text)).toBe(0);
  expect(bytesFor(text.replace(`"${name}":`, `"${name}" : `))).toBe(0);
  expect(bytesFor(text.replace(`"${name}"`, escaped))).toBe(0);
});

it('is not 0 for other keywords and formats, or for values with such names', () => {
  for (const schema of [
    { enum: ['$ref', 'pattern'] },
    within({ format: 'date-time' }),
    within({ format: 'email' }),
  ])
    expect(bytesFor(schema)).toBeGreaterThan(0);
});

it('lets no check and no compilation block the event loop for long', () => {
  const many = <T>(count: number, each: (n: number) => T) =>
    Array.from({ length: count }, (_, n) => each(n));
  const slowest: object[] = [
    { items: { anyOf: many(510, () => ({ type: 'null' })) } },
    { items: { not: { anyOf: many(505, () => ({ type: 'null' })) } } },
    { items: { required: many(1_100, (n) => `p${n}`) } },
    { items: { allOf: many(200, () => ({ if: { type: 'number' }, else: false })) } },
    { contains: { anyOf: many(505, () => ({ type: 'null' })) } },
  ];
  const bodies = [`[${'1,'.repeat(254)}1]`, `[${'{},'.repeat(168)}1]`, `[${'[],'.repeat(168)}1]`];
  for (const schema of slowest) {
    const text = JSON.stringify(schema);
    expect(bytesFor(text), text.slice(0, 40)).toBeGreaterThanOrEqual(512);
    const before = process.threadCpuUsage();
    const compiled = compileSchema(text);
    for (const body of compiled.ok ? bodies : [])
      compiled.ok && checkBody(compiled.value, Buffer.from(body), 1e9);
    const { user } = process.threadCpuUsage(before);
    expect(user / 4_000, text.slice(0, 40)).toBeLessThan(250);
  }
});
