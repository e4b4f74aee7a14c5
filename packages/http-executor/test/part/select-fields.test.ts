import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseFields } from '../../src/guard/fields.ts';
import { selectFields } from '../../src/part/select-fields.ts';
import { JSON_TEXT, NAMES, parsed } from '../support/json-texts.ts';
import { pick } from '../support/reference.ts';

const select = async (text: string, mask: string): Promise<string> => {
  const fields = parseFields(mask);
  if (!fields.ok) throw new Error(fields.reason);
  return (await selectFields(Buffer.from(text), fields.value)).toString();
};

it.each<[mask: string, body: string, selected: string]>([
  ['a', '{"b":1, "a" : 1.50 ,"c":2}', '{"a" : 1.50}'],
  ['a,b', '{"b":[1, 2],"a":{"c" : 0}}', '{"b":[1, 2],"a":{"c" : 0}}'],
  ['a/b', '{"a":{"b":1,"c":2},"b":3}', '{"a":{"b":1}}'],
  ['a(b,c/d)', '{"a":{"b":1,"c":{"d":2,"e":3},"f":4}}', '{"a":{"b":1,"c":{"d":2}}}'],
  ['a/b,a/c', '{"a":{"b":1,"c":2,"d":3}}', '{"a":{"b":1,"c":2}}'],
  ['a,a/b', '{"a":{"b":1,"c":2}}', '{"a":{"b":1,"c":2}}'],
  [
    'id',
    '[{"id":1,"x":2},{"id":12345678901234567890},{}]',
    '[{"id":1},{"id":12345678901234567890},{}]',
  ],
  ['a/id', '{"a":[{"id":1},[{"id":2,"b":0}],3,null]}', '{"a":[{"id":1},[{"id":2}],{},{}]}'],
  ['*/id', '{"a":{"id":1},"b":[{"id":2}],"c":3}', '{"a":{"id":1},"b":[{"id":2}]}'],
  ['*', '{"a":1,"b":null}', '{"a":1,"b":null}'],
  ['a/b,*/c', '{"a":{"b":1,"c":2,"d":3},"e":{"b":1,"c":2}}', '{"a":{"b":1,"c":2},"e":{"c":2}}'],
  ['a/*/b', '{"a":{"x":{"b":1,"c":2},"y":3}}', '{"a":{"x":{"b":1}}}'],
  ['a/b', '{"a":1,"b":2}', '{}'],
  ['a/b', '{"a":null}', '{}'],
  ['a', '{"a":1,"\\u0061":2,"A":3}', '{"a":1,"\\u0061":2}'],
  ['é b', '{"é b":"\\u00e9","é":1}', '{"é b":"\\u00e9"}'],
  ['toString', '{}', '{}'],
  ['a', '[]', '[]'],
  ['a', '"text"', 'null'],
  ['a', ' null ', 'null'],
  [
    '*(a(x),*(a(y)))',
    '{"a":{"a":{"x":1,"y":2}},"b":{"c":{"a":{"y":3,"z":4}}}}',
    '{"a":{"a":{"x":1}},"b":{"c":{"a":{"y":3}}}}',
  ],
])('the fields %s of %s', async (mask, body, selected) => {
  expect(await select(body, mask)).toBe(selected);
});

const FORM =
  'must name members, as in `items(id,owner/login),next`, without spaces around the names';
it.each([
  ['', FORM],
  [',a', FORM],
  ['a,', FORM],
  ['a,,b', FORM],
  ['a/', FORM],
  ['/a', FORM],
  ['a//b', FORM],
  ['a(b', FORM],
  ['a)', FORM],
  ['a(b))', FORM],
  ['a()', FORM],
  ['(a)', FORM],
  ['a(b)c', FORM],
  ['a(b)/c', FORM],
  ['a, b', FORM],
  ['a'.repeat(4_097), 'must have at most 4096 characters'],
  [Array(33).fill('a').join('/'), 'must have at most 32 levels'],
  [`${'a('.repeat(32)}a${')'.repeat(32)}`, 'must have at most 32 levels'],
])('the mask %s is refused', (mask, reason) => {
  expect(parseFields(mask)).toEqual({ ok: false, reason });
});

it.each(['a'.repeat(4_096), Array(32).fill('a').join('/')])('the mask %s is accepted', (mask) => {
  expect(parseFields(mask).ok).toBe(true);
});

/** A mask as a list of paths, for the reference. */
const PATHS = fc.array(fc.array(fc.constantFrom(...NAMES, '*'), { minLength: 1, maxLength: 3 }), {
  minLength: 1,
  maxLength: 4,
});

it('selects what a reference selects from parsed values', async () => {
  const property = fc.asyncProperty(JSON_TEXT, PATHS, async (text, paths) => {
    const mask = paths.map((path) => path.join('/')).join(',');
    expect(parsed(await select(text, mask))).toEqual(pick(parsed(text), paths) ?? null);
  });
  await fc.assert(property, { numRuns: 20_000 });
});

it('keeps thousands of different names apart', async () => {
  const members = Array.from({ length: 5_000 }, (_, n) => [`name ${n}`, n] as const);
  const some = members.slice(300, 600);
  const [all, selected] = [members, some].map((each) => JSON.stringify(Object.fromEntries(each)));
  const mask = some.map(([name]) => name).join(',');
  expect(await select(`[${all},${all}]`, mask)).toBe(`[${selected},${selected}]`);
});

it.each([
  ['with names beside `*`', (inner: string) => `*(a(x),${inner})`, 20],
  ['of `*` alone', (inner: string) => `*(${inner})`, 31],
])('takes little time for a mask %s', async (_name, wrap, levels) => {
  const mask = Array.from({ length: levels }).reduce<string>(wrap, 'a');
  const nested = Array.from({ length: levels }).reduce<string>(
    (inner) => `{"a":${inner},"b":${inner.length < 10_000 ? inner : 1}}`,
    '{"a":1}',
  );
  const started = performance.now();
  await select(nested, mask);
  expect(performance.now() - started).toBeLessThan(1_000);
});
