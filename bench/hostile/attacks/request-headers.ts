import { asking } from '../assault.ts';
import { type Attack, KIB } from '../attack.ts';
import { noise, range } from '../shapes.ts';

/** A header section of an action; the limits are 100 headers, 8 KiB a value and 32 KiB in all. */
const headers = (
  name: string,
  build: (n: number) => Record<string, string>,
  more: { finding?: string; times?: number; distinct?: boolean } = {},
) => asking({ name: `headers: ${name}`, action: (_scene, n) => ({ headers: build(n) }), ...more });

const many = (count: number, name: (n: number) => string, value = (_: number) => 'v') =>
  Object.fromEntries(range(count, (n) => [name(n), value(n)]));

const cookies = () =>
  range(800, (n) => `c${n}=${noise(8)}`)
    .join(';')
    .slice(0, 8_000);

const base64 = (text: string) => Buffer.from(text).toString('base64');
const parameters = (bytes: number) => 'a=xxxxxx,'.repeat(Math.floor(bytes / 9));
/** Within the limits: four values of 8 KiB less their names. */
const four = (text: string) => {
  const value = () => text.slice(0, 8_000);
  return many(4, (n) => `x-api-key-${n}`, value);
};
const DIGEST = `Digest ${parameters(8 * KIB)}`;

/** Refused for its host, and yet read by whoever scrubs refusals. */
const refused = asking({
  name: 'headers: 32 KiB of a=xxxxxx, in a refused action',
  finding: '1',
  action: () => ({
    url: 'http://elsewhere.test/',
    headers: four(DIGEST),
  }),
});

export const requestHeaders: Attack[] = [
  headers('authorization of 1,000,000 characters', () => ({ authorization: noise(1_000_000) }), {
    finding: '1',
  }),
  headers('authorization of 100,000 characters', () => ({ authorization: noise(100_000) }), {
    finding: '1',
  }),
  headers('32 KiB of a=xxxxxx,', () => four(DIGEST), { finding: '1' }),
  refused,
  headers('1 MB of a=xxxxxx,', () => ({ authorization: `Digest ${parameters(1_000_000)}` })),
  headers('1 MB without a credential', () => ({ 'x-note': noise(1_000_000) })),
  headers('1 MB of ="\\\\…', () => ({ authorization: `Digest a="${'\\'.repeat(1_000_000 / 2)}` })),
  headers('1 MB of blanks', () => ({ authorization: `Bearer ${' '.repeat(999_000)}x` })),
  headers('1 MB of words and blanks', () => ({ authorization: 'ab '.repeat(333_000) })),
  headers('Basic of 700 KB', () => ({ authorization: `Basic ${base64(noise(700_000))}` })),
  headers('a cookie of 100,000 pairs', () => ({
    cookie: range(100_000, (n) => `c${n}=v${n}`).join(';'),
  })),
  headers('a cookie of 900,000 semicolons', () => ({ cookie: ';'.repeat(900_000) })),
  headers('100,000 of them', () => many(100_000, (n) => `x${n}`)),
  headers('20,000 credentials', () =>
    many(
      20_000,
      (n) => `x-token-${n}`,
      (n) => `secret-${n}-${'x'.repeat(8)}`,
    ),
  ),
  headers('20,000 refused names', () => many(20_000, (n) => `proxy-${n}`)),
  headers('20,000 names that are none', () => many(20_000, (n) => `x ${n}`)),
  headers('a name of 1 MB', () => ({ [`x-${'n'.repeat(1_000_000)}`]: 'v' })),
  headers('a name of 1 MB that is none', () => ({ [`x ${'é/~'.repeat(250_000)}`]: 'v' })),
  headers('percent escapes', () => ({ authorization: `Bearer ${'%25'.repeat(300_000)}` })),
  headers('digits', () => ({ 'x-api-key': '1'.repeat(1_000_000) })),
  headers('not ASCII', () => ({ authorization: `Bearer ${'é'.repeat(450_000)}` })),
  headers('within the limits: 100 credentials', () =>
    many(
      100,
      (n) => `x-key-${n}-token`,
      (n) => noise(290) + n,
    ),
  ),
  headers('within the limits: 32 KiB of noise', () => four(noise(8 * KIB))),
  headers('within the limits: one letter', () => four('a'.repeat(8 * KIB))),
  headers('within the limits: Basic', () => four(`Basic ${base64(noise(6_000))}`)),
  headers('within the limits: =', () => four('='.repeat(8 * KIB))),
  headers('within the limits: percent escapes', () => four('%2525'.repeat(1_600))),
  headers('within the limits: cookies', () => ({ cookie: cookies(), 'x-cookie': cookies() })),
  headers('100 at once: 32 KiB of a=xxxxxx,', () => four(DIGEST), { times: 100 }),
];
