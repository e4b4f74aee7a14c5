import { expect, it } from 'vitest';
import { appendQuery } from '../../src/action/index.ts';
import { JsonText } from '../../src/json/index.ts';

it.each<[url: string, query: unknown, whole: string]>([
  ['https://a.test', { q: 'tea' }, 'https://a.test?q=tea'],
  ['https://a.test/p', { q: 'tea & cake', n: 5 }, 'https://a.test/p?q=tea%20%26%20cake&n=5'],
  ['https://a.test/p?x=1', { y: true }, 'https://a.test/p?x=1&y=true'],
  ['https://a.test/p?', { y: 1 }, 'https://a.test/p?y=1'],
  ['https://a.test/p?x&', { y: 1 }, 'https://a.test/p?x&y=1'],
  ['https://a.test/p?x=1#f?g', { y: 1 }, 'https://a.test/p?x=1&y=1#f?g'],
  ['https://a.test/p#f', { y: 1 }, 'https://a.test/p?y=1#f'],
  [
    'https://a.test/',
    { tag: ['new', 'hot'], none: [], z: 0 },
    'https://a.test/?tag=new&tag=hot&z=0',
  ],
  ['https://a.test/', { none: [] }, 'https://a.test/'],
  ['https://a.test/', {}, 'https://a.test/'],
  ['https://a.test/', null, 'https://a.test/'],
  ['https://a.test/', undefined, 'https://a.test/'],
  ['https://a.test/', { 'a[b]': 'é+%', '': '' }, 'https://a.test/?a%5Bb%5D=%C3%A9%2B%25&='],
  [
    'https://a.test/',
    new JsonText('{"b": 1.50, "a": 12345678901234567890}'),
    'https://a.test/?b=1.50&a=12345678901234567890',
  ],
])('%s with the query %j', (url, query, whole) => {
  expect(appendQuery(url, query)).toEqual({ ok: true, value: whole });
});

const SCALARS =
  'must be a string, a number, a boolean or a flat list of those; for nested values, name the members `a[b]`';
const HALF =
  'must not contain an unpaired surrogate, which UTF-8 cannot encode; only a JSON body can carry one, as an escape';
const LONG = 'makes the URL longer than 8192 bytes';
const blanks = (count: number) => new JsonText(`{${' '.repeat(count)}"a":[]}`);
it.each<[query: unknown, violations: [pointer: string, message: string][]]>([
  [['a'], [['/query', 'must be an object']]],
  [new JsonText(' "a=1"'), [['/query', 'must be an object']]],
  [{ a: null }, [['/query/a', SCALARS]]],
  [{ a: [null] }, [['/query/a/0', SCALARS]]],
  [{ a: { b: { c: 1 } } }, [['/query/a', SCALARS]]],
  [{ a: [[[1]]] }, [['/query/a/0', SCALARS]]],
  [
    { 'a/b': {}, ok: 1, tags: ['x', null, [1], 'y'], end: null },
    ['a~1b', 'tags/1', 'tags/2', 'end'].map((path) => [`/query/${path}`, SCALARS]),
  ],
  [
    new JsonText('{"a":["\\ud83d",1],"\\ud83d":null}'),
    [
      ['/query/a/0', HALF],
      ['/query/\ufffd', HALF],
      ['/query/\ufffd', SCALARS],
    ],
  ],
  [{ a: 'x'.repeat(8_190) }, []],
  [{ a: 'x'.repeat(8_191) }, [['/query', LONG]]],
  [
    { a: null, b: 'x'.repeat(8_192), c: null },
    [
      ['/query/a', SCALARS],
      ['/query', LONG],
    ],
  ],
  [blanks(65_536 - '{"a":[]}'.length), []],
  [blanks(65_537 - '{"a":[]}'.length), [['/query', 'must have at most 65536 characters of JSON']]],
  [{ ['n'.repeat(300)]: null }, [[`/query/${'n'.repeat(292)}…`, SCALARS]]],
])('the query %j has all its violations listed', (query, violations) => {
  const appended = appendQuery('https://a.test/', query);
  const listed = appended.ok ? [] : appended.reason;
  expect(listed.map(({ pointer, message }) => [pointer, message])).toEqual(violations);
});

it.each([19, 20, 21])('of %i violations of a query, at most 20 are listed', (count) => {
  const appended = appendQuery('https://a.test/', { a: Array(count).fill(null) });
  expect(appended).toHaveProperty('reason.length', Math.min(count, 20));
});
