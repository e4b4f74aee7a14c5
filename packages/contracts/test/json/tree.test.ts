import fc from 'fast-check';
import { expect, it } from 'vitest';
import { JsonFault, JsonTree } from '../../src/json/index.ts';

/** Reads a JSON text in steps, and lists its values with their names. Sets off children by `>`. */
function valuesOf(text: string, tokens: number, maxArrayBytes?: number): string[] {
  const bytes = Buffer.from(text);
  const tree = new JsonTree(bytes, maxArrayBytes === undefined ? {} : { maxArrayBytes });
  while (!tree.read(tokens));
  const list = (value: number, level: string): string[] => {
    const lines = [level + bytes.toString('utf8', tree.begin(value), tree.end(value))];
    for (let child = value + 1; child < tree.next(value); child = tree.next(child))
      lines.push(...list(child, `${level}>`));
    return tree.skipped(value) === 0 ? lines : [...lines, `${level}+${tree.skipped(value)}`];
  };
  return list(0, '');
}

const TEXT = ' {"a" : [1, {"b":[]}, "c" ],"d":null} ';
const VALUES = [
  '{"a" : [1, {"b":[]}, "c" ],"d":null}',
  '>"a" : [1, {"b":[]}, "c" ]',
  '>>1',
  '>>{"b":[]}',
  '>>>"b":[]',
  '>>"c"',
  '>"d":null',
];

it.each([
  ['scalars', '[1,2,3]', ['[1,2,3]', '>1', '>2', '>3']],
  ['lists', '[[[]]]', ['[[[]]]', '>[[]]', '>>[]']],
  ['a number', '1', ['1']],
])('has room for %s without blanks', (_name, text, values) => {
  expect(valuesOf(text, 1)).toEqual(values);
});

it.each([1, 2, 3, 100, Number.POSITIVE_INFINITY])('lists values, read %d by %d', (tokens) => {
  expect(valuesOf(TEXT, tokens)).toEqual(VALUES);
});

it.each<[text: string, maxArrayBytes: number, values: string[]]>([
  ['[1,2,[3],{"a":[4]},5]', 5, ['>1', '>2', '>[3]', '>>3', '+2']],
  [
    '[1,2,[3],{"a":[4]},5]',
    7,
    ['>1', '>2', '>[3]', '>>3', '>{"a":[4]}', '>>"a":[4]', '>>>4', '+1'],
  ],
  ['[[1,2],[3]]', 1, ['>[1,2]', '>>1', '>>2', '+1']],
  ['{"a":[1,2,3],"b":[4]}', 2, ['>"a":[1,2,3]', '>>1', '>>2', '>+1', '>"b":[4]', '>>4']],
])('of %s, skips items after %d bytes of others', (text, maxArrayBytes, values) => {
  expect(valuesOf(text, 1, maxArrayBytes)).toEqual([text, ...values]);
});

it('lists the same values of any document, whatever the size of its steps', () => {
  const property = fc.property(fc.json(), fc.integer({ min: 1, max: 9 }), (text, tokens) => {
    expect(valuesOf(text, tokens, 20)).toEqual(valuesOf(text, Number.POSITIVE_INFINITY, 20));
  });
  fc.assert(property, { numRuns: 2_000 });
});

it.each(['', '[', '[[[[[[', '[1', '{"a"', '{"a":}', '[1]]', '1 2'])('refuses %j', (text) => {
  for (const tokens of [1, 100]) expect(() => valuesOf(text, tokens, 1)).toThrow(JsonFault);
});
