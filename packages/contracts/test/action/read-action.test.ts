import { expect, it } from 'vitest';
import { readAction } from '../../src/action/index.ts';
import { JsonText } from '../../src/json/index.ts';

const read = (members: string) =>
  readAction(new JsonText(`{"method":"GET","url":"http://a.test/",${members}}`));

/** JSON Schema with a number of levels below its top level. */
const deep = (levels: number) => `${'{"not":'.repeat(levels)}{}${'}'.repeat(levels)}`;

it.each<[member: string, pointer: string]>([
  ['"response_schema":[1]', '/response_schema'],
  ['"response_schema":"x"', '/response_schema'],
  ['"query":[1]', '/query'],
  ['"headers":[]', '/headers'],
  ['"max_bytes":64.000000000000000001', '/max_bytes'],
  [`"response_schema":${deep(256)}`, '/response_schema'],
  [`"response_schema":${deep(9_000)}`, '/response_schema'],
  [Array.from({ length: 9_999 }, (_, n) => `"m${n}":1`).join(), ''],
])('an action in a text is refused as an executor would refuse it: %.40s', (member, pointer) => {
  const checked = read(member);
  expect(checked.ok ? [] : checked.violations.map((each) => each.pointer)).toEqual([pointer]);
});

it.each([
  '"response_schema":{"maximum":1.00000000000000000001}',
  '"response_schema":null',
  `"response_schema":${deep(255)}`,
  '"body":{"a":1.0}',
  '"query":{"a":1.0}',
])('digits that only the upstream or the schema sees are no violation: %.40s', (member) => {
  expect(read(member).ok).toBe(true);
});
