import { expect, it } from 'vitest';
import { readAction } from '../../src/action/index.ts';
import { JsonText } from '../../src/json/index.ts';

const read = (members: string) =>
  readAction(new JsonText(`{"method":"GET","url":"http://a.test/",${members}}`));

it.each<[member: string, pointer: string]>([
  ['"response_schema":[1]', '/response_schema'],
  ['"response_schema":"x"', '/response_schema'],
  ['"query":[1]', '/query'],
  ['"headers":[]', '/headers'],
  ['"max_bytes":64.000000000000000001', '/max_bytes'],
])('an action in a text is refused as an executor would refuse it: %s', (member, pointer) => {
  const checked = read(member);
  expect(checked.ok ? [] : checked.violations.map((each) => each.pointer)).toEqual([pointer]);
});

it.each([
  '"response_schema":{"maximum":1.00000000000000000001}',
  '"response_schema":null',
  '"body":{"a":1.0}',
  '"query":{"a":1.0}',
])('digits that only the upstream or the schema sees are no violation: %s', (member) => {
  expect(read(member).ok).toBe(true);
});
