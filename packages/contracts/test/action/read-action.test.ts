import { expect, it } from 'vitest';
import { readAction } from '../../src/action/index.ts';
import { JsonText } from '../../src/json/index.ts';

const read = (members: string) =>
  readAction(new JsonText(`{"method":"GET","url":"http://a.test/",${members}}`));

const pointersIn = (checked: ReturnType<typeof read>) =>
  checked.ok ? [] : checked.violations.map(({ pointer }) => pointer);

it.each<[member: string, pointer: string]>([
  ['"response_schema":[1]', '/response_schema'],
  ['"response_schema":"x"', '/response_schema'],
  ['"query":[1]', '/query'],
  ['"headers":[]', '/headers'],
  ['"max_bytes":64.000000000000000001', '/max_bytes'],
])('an action in a text is refused as an executor would refuse it: %s', (member, pointer) => {
  const checked = read(member);
  expect(pointersIn(checked)).toEqual([pointer]);
});

it.each([
  '"response_schema":{"maximum":1.00000000000000000001}',
  '"response_schema":null',
  '"body":{"a":1.0}',
  '"query":{"a":1.0}',
])('digits that only the upstream or the schema sees are no violation: %s', (member) => {
  expect(read(member).ok).toBe(true);
});

it('a schema may have 256 levels', () => {
  const schema = (levels: number) => `${'{"not":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
  for (const [levels, pointers] of [
    [256, []],
    [257, ['/response_schema']],
    [9_000, ['/response_schema']],
  ] as const)
    expect(pointersIn(read(`"response_schema":${schema(levels)}`))).toEqual(pointers);
});

it('an action with more than 10,000 members is refused as a whole', () => {
  const members = (count: number) => Array.from({ length: count }, (_, n) => `"m${n}":1`).join();
  expect(pointersIn(read(members(9_998)))).toContain('/m0');
  expect(pointersIn(read(members(9_999)))).toEqual(['']);
  expect(pointersIn(read(`"body":{${members(9_998)}}`))).toEqual([]);
});

it('an unknown member of a file has a short pointer', () => {
  const headers = '"headers":{"content-type":"multipart/form-data"}';
  const checked = read(`${headers},"body":{"f":{"${'n'.repeat(300)}":1}}`);
  expect(pointersIn(checked)).toEqual([`/body/f/${'n'.repeat(291)}…`]);
});
