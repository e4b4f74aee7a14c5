import { answering } from '../assault.ts';
import { type Attack, asVariants, KIB, SIZE } from '../attack.ts';
import { listOf, membersOf, noise, range, repeated } from '../shapes.ts';

/** The most that one header value may have. */
const LONG = 8 * KIB - 16;

interface Collision {
  readonly status?: number;
  readonly encode?: (body: Buffer) => Buffer;
}

/** A caller and an upstream together: the secret is made for the answer. */
function collision(
  name: string,
  headers: Record<string, string>,
  body: () => Buffer,
  more: Collision = {},
): Attack {
  return answering({ name: `credential: ${name}`, body, action: { headers }, ...more });
}

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
const text = (unit: string) => () => repeated(unit, SIZE, '"', '"');
const escaped = (word: string) =>
  [...word].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
const percent = (word: string) => Buffer.from(word).toString('hex').replace(/../g, '%$&');

const ALMOST = `${'a'.repeat(LONG - 1)}b`;
const TOKEN = 'tok_7f3a9c2e5b8d1046af93ffeeddcc';
const manySecrets = () =>
  Object.fromEntries(
    range(100, (n) => [`x-token-${n}`, `${'a'.repeat(150)}${n}${'b'.repeat(100)}`]),
  );

const principal: Attack[] = [
  collision('a…ab of 8 KB, 10 MiB of a', bearer(ALMOST), text('a')),
  collision('a…ab of 8 KB, 10 MiB of \\u0061', bearer(ALMOST), text('\\u0061')),
  collision('a…ab of 8 KB, an error page of a', bearer(ALMOST), () => repeated('a', SIZE), {
    status: 404,
  }),
  collision('digits of 8 KB, a number of 10 MiB', { 'x-api-key': `${'1'.repeat(LONG)}2` }, () =>
    repeated('1', SIZE),
  ),
  collision('digits of 18, numbers', { 'x-api-key': '111111111111111112' }, () =>
    listOf('1'.repeat(19), SIZE),
  ),
  collision('24 of it over and over', bearer(TOKEN), text(TOKEN.slice(0, 24))),
  collision('itself, 300,000 times', bearer(TOKEN), text(TOKEN)),
  collision(
    'itself percent-encoded twice',
    bearer(TOKEN),
    text(percent(TOKEN).replaceAll('%', '%25')),
  ),
  collision('itself in 200,000 keys', bearer(TOKEN), () =>
    membersOf((n) => `${TOKEN}-${n}`, '1', SIZE),
  ),
  collision('itself as one key over and over', bearer(TOKEN), () =>
    repeated(`"${TOKEN}":1,`, SIZE, '{', '"a":1}'),
  ),
  collision('six characters, everywhere', bearer('abcdef'), text('abcdef ')),
  collision('six characters, an error page', bearer('abcdef'), () => repeated('abcdef ', SIZE), {
    status: 404,
  }),
  collision('100 with one beginning, in escapes', manySecrets(), text(escaped('a'))),
  collision('quotes and backslashes', bearer('\\"'.repeat(LONG / 2)), text('\\\\\\"')),
  collision('percent signs', bearer('%'.repeat(LONG)), text('%')),
  collision(
    'Basic of 6 KB, base64',
    { authorization: `Basic ${Buffer.from(`u:${'a'.repeat(6_000)}`).toString('base64')}` },
    text('YWFh'),
  ),
  collision('cut off amid itself', bearer(TOKEN), () => repeated(TOKEN, SIZE + 64 * KIB), {
    status: 404,
  }),
  answering({
    name: 'credential: in 15 KB of response headers',
    body: () => Buffer.from('1'),
    headers: Object.fromEntries(range(30, (n) => [`x-echo-${n}`, 'a'.repeat(480)])),
    action: { headers: bearer(ALMOST) },
  }),
];

const variants: Attack[] = [
  collision('a…ab of 8 KB, 10 MiB of A', bearer(ALMOST), text('A')),
  collision('a…ab of 8 KB, 10 MiB of %61', bearer(ALMOST), text('%61')),
  collision('a…ab of 8 KB, 10 MiB of &#97;', bearer(ALMOST), text('&#97;')),
  collision('a…ab of 8 KB, keys', bearer(ALMOST), () =>
    membersOf((n) => `${'a'.repeat(4_000)}${n}`, '1', SIZE),
  ),
  collision('ba…a of 8 KB, 10 MiB of a', bearer(`b${'a'.repeat(LONG)}`), text('a')),
  collision('all but its last character', bearer(TOKEN), text(TOKEN.slice(0, -1))),
  collision(
    'its base64 but for the end',
    bearer(TOKEN),
    text(Buffer.from(TOKEN).toString('base64').slice(0, 30)),
  ),
  collision('itself in escapes', bearer(TOKEN), text(escaped(TOKEN))),
  collision('itself in escaped keys', bearer(TOKEN), () => listOf(`{"${escaped(TOKEN)}":1}`, SIZE)),
  collision(
    '800 cookies',
    { cookie: range(600, (n) => `c${n}=s3cret${n}`).join(';') },
    text('s3cret'),
  ),
  collision(
    '1,000 parameters',
    { authorization: `X ${range(600, (n) => `a${n}=pa55word`).join(',')}` },
    text('pa55word'),
  ),
  collision('percent escapes of itself', bearer('%2525'.repeat(LONG / 5)), text('%252525')),
  collision('ampersands', bearer(`${'&amp;'.repeat(1_600)}x`), text('&amp;amp;')),
  collision('noise of 8 KB, noise', bearer(noise(LONG)), () =>
    Buffer.from(`"${noise(1_000_000).repeat(10)}"`),
  ),
  answering({
    name: 'credential: 12 at once, itself 300,000 times',
    body: text(TOKEN),
    action: { headers: bearer(TOKEN) },
    times: 12,
  }),
];

export const credentials: Attack[] = [...principal, ...asVariants(variants)];
