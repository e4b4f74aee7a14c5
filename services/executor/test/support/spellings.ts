/** An allowlist for the hosts below. */
export const LISTED = [
  ...[
    'localhost',
    '127.0.0.1',
    '::1',
    '10.0.0.1',
    'api.test',
    '*.wild.test',
    'bücher.test',
    'straße.test',
  ],
  ...['http.test:80', 'https.test:443', 'port.test:8080', '[fd00::1]:8080'],
];

/** Each host with the name of its kind. */
const flat = (table: [name: string, ...hosts: string[]][]): [name: string, host: string][] =>
  table.flatMap(([name, ...hosts]) => hosts.map((host): [string, string] => [name, host]));

/** Each of these means, or has been taken to mean, a host that is on the list. */
export const ODD_HOSTS = flat([
  ['decimal', '2130706433', '167772161', '02130706433'],
  ['octal', '0177.0.0.1', '0177.0.0.01', '017700000001', '127.0.0.01', '012.0.0.1'],
  ['hexadecimal', '0x7f.0.0.1', '0x7f000001', '0X7F000001', '0x7F.0x0.0x0.0x1', '0xa.1'],
  ['short', '127.1', '127.0.1', '10.1'],
  ['mixed bases', '0x7f.0.01', '0177.1'],
  ['trailing dot', 'localhost.', '127.0.0.1.', 'api.test.', 'v1.wild.test.'],
  [
    'percent-encoded',
    'localh%6fst',
    '%31%32%37.0.0.1',
    '127%2e0%2e0%2e1',
    'api%2Etest',
    'v1.wild.tes%74',
  ],
  ['full-width', 'ｌｏｃａｌｈｏｓｔ', '１２７.0.0.1', '127。0。0。1', 'api．test', 'api｡test'],
  ['circled and mathematical', 'ⓛocalhost', '①②⑦.0.0.1', '𝐚pi.test', 'ℓocalhost'],
  ['soft hyphen', 'local\u00adhost', 'api.te\u00adst'],
  ['zero width', 'api\u200b.test', 'api\u2060.test', '\ufeffapi.test'],
  ['long s and Kelvin sign', 'localhoſt'],
  ['IPv6 at length', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::0.0.0.1]', '[0::1]'],
]);

/** Hosts that are not on the list, however near. */
export const OTHER_HOSTS = flat([
  ['carried loopback', '[::ffff:7f00:1]', '[::7f00:1]', '[64:ff9b::7f00:1]', '[::ffff:127.0.0.1]'],
  ['other loopback', '127.0.0.2', '0.0.0.0', '[::]', '127.0.1.1'],
  [
    'subdomain and suffix',
    'v1.api.test',
    'xapi.test',
    'api.test.evil.test',
    'localhost.evil.test',
    'wild.test',
  ],
  ['empty label', '.wild.test.', 'api..test'],
  ['homograph', 'аpi.test', 'lοcalhost', 'bücher.tеst'],
  [
    'Punycode of something else, or of nothing',
    'xn--bcher-kvb.test',
    'xn--.test',
    'xn--localhost-.test',
  ],
  ['without its diacritics', 'bucher.test', 'strasse.test'],
  ['other port', 'http.test', 'port.test', '[fd00::1]'],
]);

export const MALFORMED_HOSTS = flat([
  [
    'out of range',
    '256.0.0.1',
    '127.0.0.256',
    '4294967296',
    '0x100000000',
    '127.0.0.0.1',
    '08.0.0.1',
  ],
  [
    'forbidden characters',
    'api%00.test',
    'api%2f.test',
    'api%40evil.test',
    'a<b.test',
    'api%.test',
    'api%zz.test',
  ],
  [
    'control characters',
    'api\t.test',
    'api\n.test',
    'api\r.test',
    'api\0.test',
    'api\x7f.test',
    'loc\talhost',
  ],
  ['backslash', 'evil.test\\.wild.test', 'api.test\\@evil.test', 'evil.test\\'],
  [
    'userinfo',
    'api.test@evil.test',
    'api.test:80@evil.test',
    'user:pass@api.test',
    '@api.test',
    'evil%40x@api.test',
  ],
  [
    'brackets',
    '[::1',
    '::1]',
    '[[::1]]',
    '[api.test]',
    '[127.0.0.1]',
    '[::1]evil.test',
    '[::1%25lo]',
    '[fe80::1%lo]',
  ],
]);
