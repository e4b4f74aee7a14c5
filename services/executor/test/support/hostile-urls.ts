import fc from 'fast-check';

/** Characters that have led one parser or another to a different host. */
const HOSTILE = [
  ...[
    '@',
    ':',
    '/',
    '//',
    '\\',
    '?',
    '#',
    '.',
    '..',
    '[',
    ']',
    '%',
    ' ',
    '\t',
    '\n',
    '\r',
    '\0',
    '\x7f',
    '<',
    '|',
    '^',
  ],
  ...[
    '%00',
    '%09',
    '%0a',
    '%0d%0a',
    '%20',
    '%23',
    '%2e',
    '%2E',
    '%2f',
    '%3a',
    '%40',
    '%5b',
    '%5c',
    '%25',
    '%u002e',
  ],
  ...[
    '\u00ad',
    '\u200b',
    '\u200d',
    '\u2060',
    '\ufeff',
    '\u202e',
    '\u3002',
    '\uff0e',
    '\uff61',
    '\u2044',
    '\u2100',
  ],
  ...[
    '\uff20',
    '\uff1a',
    '\uff03',
    '\u212a',
    '\u017f',
    '\u0301',
    'ß',
    'İ',
    '\ud800',
    '😀',
    '*',
    ',',
    ';',
    '&',
    '+',
    '~',
  ],
];

const FULL_WIDTH_OFFSET = 0xfee0;
const fullWidth = (text: string) =>
  text.replace(/[!-~]/g, (each) => String.fromCharCode(each.charCodeAt(0) + FULL_WIDTH_OFFSET));
const percentEncoded = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join('');

type Change = (text: string, from: number, to: number, odd: string) => string;

/** Ways of writing a part of a text otherwise. */
const CHANGES: readonly Change[] = [
  (text) => text,
  (text) => `v2.${text}`,
  (text) => text.toUpperCase(),
  (text, at, _to, odd) => text.slice(0, at) + odd + text.slice(at),
  (text, at, _to, odd) => text.slice(0, at) + odd + text.slice(at + 1),
  (text, at) => text.slice(0, at) + text.slice(at + 1),
  (text, from, to) => text.slice(0, from) + text.slice(from, to).toUpperCase() + text.slice(to),
  (text, from, to) => text.slice(0, from) + fullWidth(text.slice(from, to)) + text.slice(to),
  (text, from, to) => text.slice(0, from) + percentEncoded(text.slice(from, to)) + text.slice(to),
  (text, from, to) => text.slice(0, from) + text.slice(from, to).normalize('NFD') + text.slice(to),
];

const changed = (texts: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(texts, fc.nat(30), fc.nat(30), fc.constantFrom(...HOSTILE), fc.constantFrom(...CHANGES))
    .map(([text, a, b, odd, change]) => {
      const [from, to] = [a % (text.length + 1), b % (text.length + 1)].sort(
        (one, other) => one - other,
      );
      return change(text, from ?? 0, to ?? 0, odd);
    });

const SCHEMES = [
  ...Array<string>(40).fill('http://'),
  ...Array<string>(20).fill('https://'),
  ...[
    'HTTP://',
    'hTtPs://',
    'http:/',
    'http:',
    'http:///',
    'http:\\\\',
    'http:/\\',
    '//',
    '',
    'ws://',
  ],
  ...[
    'ftp://',
    'file://',
    'gopher://',
    'javascript:',
    'data:,',
    'blob:http://',
    'view-source:http://',
    ' http://',
  ],
];

/** Numbers that IPv4 parsers read as addresses. */
const oddIpv4 = fc
  .tuple(fc.nat(0xff_ff_ff_ff), fc.constantFrom(8, 10, 16), fc.constantFrom(1, 2, 3, 4))
  .map(([value, base, parts]) => {
    const bytes = [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff);
    const last = bytes.slice(parts - 1).reduce((sum, byte) => sum * 256 + byte, 0);
    const prefix = { 8: '0', 10: '', 16: '0x' }[base] ?? '';
    return [...bytes.slice(0, parts - 1), last]
      .map((part) => prefix + part.toString(base))
      .join('.');
  });

/**
 * URLs that try to get past an allowlist of `hosts`: hosts on it and near it, rewritten
 * once or twice, with parts around them that parsers have taken for the host, and strings
 * that are no URLs at all.
 */
export function hostileUrls(hosts: readonly string[]): fc.Arbitrary<string> {
  const plain = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...hosts) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom(...hosts), fc.constantFrom(...hosts))
        .map(([a, b]) => `${a}.${b}`),
    },
    { weight: 1, arbitrary: oddIpv4 },
    { weight: 1, arbitrary: fc.ipV6().map((address) => `[${address}]`) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  );
  const host = fc.oneof(plain, changed(plain), changed(changed(plain)));
  const userinfo = fc.oneof(
    { weight: 20, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: host.map((text) => `${text}@`) },
    { weight: 1, arbitrary: host.map((text) => `${text}:80@`) },
  );
  const port = fc.oneof(
    { weight: 20, arbitrary: fc.constant('') },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        ':80',
        ':443',
        ':8080',
        ':',
        ':0',
        ':22',
        ':65536',
        ':08080',
        ':+80',
        ':٨٠',
      ),
    },
    { weight: 1, arbitrary: fc.nat(70_000).map((number) => `:${number}`) },
  );
  const rest = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('', '/', '?', '#', '/a?b#c') },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom(...HOSTILE), host).map(([odd, text]) => odd + text),
    },
  );
  const url = fc
    .tuple(fc.constantFrom(...SCHEMES), userinfo, host, port, rest)
    .map((parts) => parts.join(''));
  return fc.oneof(
    { weight: 12, arbitrary: url },
    { weight: 3, arbitrary: changed(url) },
    { weight: 1, arbitrary: fc.webUrl({ withFragments: true, withQueryParameters: true }) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  );
}
