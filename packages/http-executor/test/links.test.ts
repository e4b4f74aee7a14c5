import { expect, it } from 'vitest';
import { readLinks } from '../src/links.ts';

const BASE = 'https://api.test/v1/items?page=1';

it.each<[header: string | string[] | undefined, links: object]>([
  [undefined, {}],
  ['', {}],
  ['</v1/items?page=2>; rel="next"', { next: 'https://api.test/v1/items?page=2' }],
  ['<?page=2>;rel=next', { next: 'https://api.test/v1/items?page=2' }],
  ['<b>; rel="Next  LAST"', { next: 'https://api.test/v1/b', last: 'https://api.test/v1/b' }],
  ['<a>; rel=next, <b>; rel=next', { next: 'https://api.test/v1/a' }],
  [
    ['<a>; rel=next', '<b>; rel=prev'],
    { next: 'https://api.test/v1/a', prev: 'https://api.test/v1/b' },
  ],
  ['<a>; title="x; rel=last, <c>"; rel=next', { next: 'https://api.test/v1/a' }],
  ['<a>; title="\\"; rel=last"; rel=next', { next: 'https://api.test/v1/a' }],
  ['<a>; rel=next; rel=last', { next: 'https://api.test/v1/a' }],
  ['<a,b;c>; rel=next', { next: 'https://api.test/v1/a,b;c' }],
  ['<a>; REL=next', { next: 'https://api.test/v1/a' }],
  ['<a>; crossorigin; rel=next', { next: 'https://api.test/v1/a' }],
  ['<a>', {}],
  ['<a>; rel=""', {}],
  ['<mailto:a@b.test>; rel=author', {}],
  ['<javascript:x>; rel=next', {}],
  ['<https://[>; rel=next', {}],
  ['<a>; rel=next; anchor="/other"', {}],
  ['nonsense; rel=next', {}],
  ['<a>; rel=__proto__', JSON.parse('{"__proto__":"https://api.test/v1/a"}')],
])('%j', (header, links) => {
  expect(readLinks(header, BASE)).toEqual(links);
});

it('lists few links, however many the header has', () => {
  const header = `<${'a'.repeat(7_000)}>; rel="${Array.from({ length: 900 }, (_, n) => `r${n}`).join(' ')}"`;
  expect(JSON.stringify(readLinks(header, BASE)).length).toBeLessThan(33_000);
  const short = header.replace(/a{7000}/, 'a');
  expect(Object.keys(readLinks(short, BASE))).toHaveLength(20);
});

it('takes linear time', () => {
  const long = ['<a>; a="'.repeat(4_000), `<a>${' ;a'.repeat(10_000)}`, '<'.repeat(32_000)];
  for (const header of long) {
    const started = performance.now();
    readLinks(header, BASE);
    expect(performance.now() - started).toBeLessThan(1_000);
  }
});
