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

const MEMBERS = 'must have only strings, numbers, booleans and lists of those as members, but `a`';
it.each<[query: unknown, reason: string]>([
  [['a'], 'must be an object'],
  [new JsonText(' "a=1"'), 'must be an object'],
  [{ a: null }, `${MEMBERS} is or contains something else`],
  [{ a: [null] }, `${MEMBERS} is or contains something else`],
  [{ a: { b: 1 } }, `${MEMBERS} is or contains something else`],
  [{ a: [[1]] }, `${MEMBERS} is or contains something else`],
  [{ a: 'x'.repeat(8_192) }, 'makes the URL longer than 8192 bytes'],
])('the query %j is refused', (query, reason) => {
  expect(appendQuery('https://a.test/', query)).toEqual({ ok: false, reason });
});
