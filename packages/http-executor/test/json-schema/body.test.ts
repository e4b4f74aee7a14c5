import { expect, it } from 'vitest';
import { surveyJson } from '../../src/json-schema/body.ts';
import { checkBody } from '../../src/json-schema/check.ts';
import { compileSchema } from '../../src/json-schema/compile.ts';
import { mustCheck } from './checks.ts';

const acceptAll = mustCheck({});

it.each<[document: string, found: [pointer: string, message: string][]]>([
  ['{"a":1,"b":{"a":2}}', []],
  ['{"a":1,"a":2,"a":3}', [['/a', '/a appears more than once']]],
  ['{ "a" :1,\n"\\u0061"\t: 2}', [['/a', '/a appears more than once']]],
  ['["x",true,null,[],{"a":"1e999:","b\\\\":[[{"a\\":":1}],{"a":2}],"c":3}]', []],
  ['{"__proto__":1,"constructor":{}}', []],
  ['{"__proto__":1,"__proto__":2}', [['/__proto__', '/__proto__ appears more than once']]],
  ['{"x":[{"a":1,"a":2},{"b":1,"b":1}]}', [['/x/0/a', '/x/0/a appears more than once']]],
  ['{"1":1,"b":{"1":2},"1":3}', [['/1', '/1 appears more than once']]],
  ['[1e308,1.7976931348623157e308,0,1e-400]', []],
  ['[1e309,-1e400]', [['/0', '/0 is too large for a double']]],
  ['1e309', [['', 'the body is too large for a double']]],
  [
    '{"b":1e999,"a":1,"a":2}',
    [
      ['/a', '/a appears more than once'],
      ['/b', '/b is too large for a double'],
    ],
  ],
])('ambiguities in %s', (document, found) => {
  expect(acceptAll(document)).toEqual(found.map(([pointer, message]) => ({ pointer, message })));
});

it.each<[document: string, members: number, bytes: number]>([
  ['[]', 0, 12 + 64],
  ['[[],{}]', 0, 12 + 3 * 64 + 12],
  ['1', 0, 12],
  ['"a\\"b"', 0, 12 + 24 + 5],
  ['{"ab":1}', 1, 12 + 64 + 160 + 3],
  ['[{"ab":1},{"ab":"c"}]', 2, 12 + 3 * 64 + 12 + 160 + 3 + 24 + 2],
])('%s has %d members and takes %d bytes', (document, members, parsedBytes) => {
  expect(surveyJson(Buffer.from(document))).toEqual({ members, parsedBytes });
});

it('remembers 4,096 names', () => {
  const names = (count: number) =>
    Array.from({ length: count }, (_, n) => `"${1000 + n}":1`).join();
  const sizeOf = (document: string) => surveyJson(Buffer.from(document)).parsedBytes;
  for (const [count, name, added] of [
    [4_096, '"1000"', 0],
    [4_096, '"xxxx"', 165],
    [4_097, '"5096"', 165],
  ] as const) {
    const more = sizeOf(`[{${names(count)}},{${name}:1}]`) - sizeOf(`[{${names(count)}},{}]`);
    expect(more, `${count} ${name}`).toBe(added);
  }
});

it('does not parse a body that would take too much memory', () => {
  const compiled = compileSchema('{}');
  const check = (maxParsedBytes: number) =>
    compiled.ok && checkBody(compiled.value, Buffer.from('[]'), maxParsedBytes);
  expect(check(76)).toEqual([]);
  expect(check(75)).toEqual([
    {
      pointer: '',
      message: 'the body could not be checked: it takes too much memory once it is parsed',
    },
  ]);
});
