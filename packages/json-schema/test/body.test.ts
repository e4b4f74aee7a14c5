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
  ['[{"a":1},{"a":2}]', []],
  ['["x",true,null,[],{"a":"1e999","b":[[{"a":1}],{"a":2}],"c":3}]', []],
  ['{"a":[{"b":1}],"c":[],"a":2}', [['/a', '/a appears more than once']]],
  ['{"x":[{"a":1,"a":2},{"b":1,"b":1}]}', [['/x/0/a', '/x/0/a appears more than once']]],
  ['[1e308,1.7976931348623157e308,0]', []],
  ['[1e309,-1e400]', [['/0', '/0 is too large for a double']]],
  ['1e309', [['', 'the body is too large for a double']]],
  ['[-1e309]', [['/0', '/0 is too large for a double']]],
  [`[${'9'.repeat(400)}]`, [['/0', `/0 is too large for a double`]]],
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
      message: 'the body could not be checked: it takes too much memory when parsed',
    },
  ]);
});

it('remembers 4,096 keys', () => {
  const objects = (count: number, again: string) => {
    const keys = Array.from({ length: count }, (_, n) => `"k${1000 + n}":1`).join(',');
    return `[{${keys}},{${again}:1}]`;
  };
  const bytes = (count: number) => 3 * 64 + 3 * 8 + count * (160 + 20 * 5 + 12) + 12;
  const [known, unknown] = [8, 160 + 20 * 5];
  for (const [count, again, size] of [
    [4_096, '"k1000"', known],
    [4_096, '"x1000"', unknown],
    [4_097, '"k5095"', known],
    [4_097, '"k5096"', unknown],
  ] as const) {
    const document = objects(count, again);
    expect(fits(document, bytes(count) + size), again).toBe(true);
    expect(fits(document, bytes(count) + size - 1), again).toBe(false);
  }
});
