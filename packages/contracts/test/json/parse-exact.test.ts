import { expect, it } from 'vitest';
import { parseExact } from '../../src/json/index.ts';

const members = (count: number) =>
  `{${Array.from({ length: count }, (_, n) => `"${n}":0`).join(',')}}`;

it('parses documents that every parser reads in the same way', () => {
  for (const text of ['{"a":{"b":[1,-2.5e3,"é",null,true]},"c":{}}', '0', ' [] ', '"{"'])
    expect(parseExact(Buffer.from(text))).toEqual(JSON.parse(text));
  expect(Object.keys(Object(parseExact(Buffer.from(members(10_000)))))).toHaveLength(10_000);
});

it('refuses all others, and says what to change', () => {
  const cases: readonly (readonly [document: string | Buffer, says: RegExp])[] = [
    ['{"a":', /^not valid JSON at position 5$/],
    ['', /^not valid JSON at position 0$/],
    ['{} {}', /^not valid JSON at position 3$/],
    [Buffer.from([0x22, 0xff, 0x22]), /UTF-8/],
    ['{"a":1,"b":{"a":1,"\\u0061":2}}', /^Remove the duplicate member `a`\.$/],
    ['{"__proto__":{}}', /all `__proto__`/],
    ['{"constructor":{"prototype":{}}}', /`constructor\.prototype`/],
    ['{"id":9007199254740993}', /^Send the number at `\/id` with fewer digits or as a string/],
    ['[1e400]', /at `\/0` with fewer/],
    [members(10_001), /^Send at most 10000 JSON members, counting nested ones\.$/],
  ];
  for (const [document, says] of cases)
    expect(() => parseExact(Buffer.from(document)), String(document)).toThrow(says);
});
