import { SchemaCheck, TimeBudget } from '@gatehouse/json-schema';
import { JsonFault } from '@gatehouse/json-text';
import { expect, it } from 'vitest';
import { LIMITS } from './support/checks.ts';

/** Accepts every body that all validators would parse in the same way. */
const check = new SchemaCheck({ dialect: '2020-12', text: '{}' }, new TimeBudget());
const inspect = (document: string, maxParsedBytes = LIMITS.maxParsedBytes) =>
  check.violationsIn(Buffer.from(document), { ...LIMITS, maxParsedBytes });
const fits = (document: string, bytes: number) => inspect(document, bytes).length === 0;
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

it.each<[document: string, found: [pointer: string, message: string][]]>([
  ['{"a":1,"b":{"a":2}}', []],
  ['{"a":1,"a":2,"a":3}', [['/a', '/a appears more than once']]],
  ['{"a":1,"\\u0061":2}', [['/a', '/a appears more than once']]],
  ['["x",true,null,[],{"a":"1e999","b":[[{"a":1}],{"a":2}],"c":3}]', []],
  ['{"a":[{"b":1}],"c":[],"a":2}', [['/a', '/a appears more than once']]],
  ['{"x":[{"a":1,"a":2},{"b":1,"b":1}]}', [['/x/0/a', '/x/0/a appears more than once']]],
  ['[1e308,1.7976931348623157e308,0]', []],
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
  expect(inspect(document).map(({ pointer, message }) => [pointer, message])).toEqual(found);
});

it('throws if a body is not JSON or nests too deeply', () => {
  expect(inspect(nested(256))).toEqual([]);
  for (const bad of ['{', '[1,]', '', nested(257)])
    expect(() => inspect(bad), bad.slice(0, 5)).toThrow(JsonFault);
});

it.each<[document: string, bytes: number]>([
  ['[]', 64 + 8],
  ['{}', 64 + 8],
  ['[[]]', 2 * 64 + 2 * 8],
  ['1', 12],
  ['true', 8],
  ['"abc"', 24 + 5],
  ['[1,"abc"]', 64 + 12 + 24 + 5 + 8],
  ['{"a":1}', 64 + 160 + 20 + 12 + 8],
  ['[{"a":1},{"a":1}]', 3 * 64 + 160 + 20 + 8 + 2 * 12 + 3 * 8],
])('%s takes %d bytes of memory', (document, bytes) => {
  expect(fits(document, bytes)).toBe(true);
  expect(inspect(document, bytes - 1)).toEqual([
    {
      pointer: '',
      message: 'the body could not be checked: the parsed body takes too much memory',
    },
  ]);
});

it('counts repeated keys only once, but remembers only 4,096 keys', () => {
  const keys = (count: number) => Array.from({ length: count }, (_, n) => `"${1000 + n}":1`).join();
  const [known, unknown] = [8, 160 + 20 * 4];
  for (const [count, again, size] of [
    [4_096, '"1000"', known],
    [4_096, '"xxxx"', unknown],
    [4_097, '"5096"', unknown],
  ] as const) {
    const document = `[{${keys(count)}},{${again}:1}]`;
    const bytes = 3 * 64 + 3 * 8 + count * (unknown + 12) + 12 + size;
    expect([fits(document, bytes), fits(document, bytes - 1)], again).toEqual([true, false]);
  }
});
