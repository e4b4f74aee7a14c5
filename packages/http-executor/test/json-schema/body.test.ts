import { expect, it } from 'vitest';
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

it.each<[document: string, bytes: number]>([
  ['[]', 12 + 64],
  ['[[],{}]', 3 * (12 + 64)],
  ['1', 12],
  ['"a\\"b"', 12 + 24 + 6],
  ['{"ab":1}', 12 + 64 + 160 + 4 + 12],
  ['[{"ab":1},{"ab":"c"}]', 3 * (12 + 64) + 160 + 4 + 12 + 12 + 24 + 3],
])('%s takes %d bytes, and is not parsed if that is too much', (document, bytes) => {
  const compiled = compileSchema('{}');
  const check = (maxParsedBytes: number) =>
    compiled.ok && checkBody(compiled.value, Buffer.from(document), maxParsedBytes);
  expect(check(bytes)).toEqual([]);
  expect(check(bytes - 1)).toEqual([
    {
      pointer: '',
      message: 'the body could not be checked: it takes too much memory once it is parsed',
    },
  ]);
});
