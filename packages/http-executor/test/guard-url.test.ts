import { describe, expect, it } from 'vitest';
import { admitTarget, readLocation, readUrl } from '../src/guard/url.ts';
import { Refusal } from '../src/index.ts';
import { processorMs } from './support/processor-time.ts';
import { sandbox } from './support/stages.ts';

const FORM = 'must be absolute, in the form `https://host/path` or `http://host/path`';
const DROPPED = 'must not hold control characters, backslashes or outer spaces';
const CREDENTIALS = 'must not hold credentials; send them as a header';
const HOST = 'must have a valid host and a port from 1 to 65535';
const LENGTH = 'must be at most 8192 bytes';

const MALFORMED: [name: string, url: string, message: string][] = [
  ['no scheme', 'a.test/', FORM],
  ['another scheme', 'ftp://a.test/', FORM],
  ['a scheme behind something', 'x http://a.test/', FORM],
  ['one slash', 'http:/a.test/', FORM],
  ['three slashes', 'http:///a.test/', FORM],
  ['no host', 'http://', FORM],
  ['no host but a path', 'http://?q', FORM],
  ['a fragment for a host', 'http://#a', FORM],
  ['a user', 'http://user@a.test/', CREDENTIALS],
  ['an empty user', 'https://@a.test/', CREDENTIALS],
  ['a user and a password', 'http://user:pass@a.test/', CREDENTIALS],
  ['NUL', 'http://a.test/\0', DROPPED],
  ['a unit separator', 'http://a.test/\x1f', DROPPED],
  ['DEL in a path', 'http://a.test/\x7f', DROPPED],
  ['a tab in the host', 'http://a\t.test/', DROPPED],
  ['a backslash', 'http://a.test/a\\b', DROPPED],
  ['a blank in front', ' http://a.test/', DROPPED],
  ['a blank behind', 'http://a.test/ ', DROPPED],
  ['port 65536', 'http://a.test:65536/', HOST],
  ['an invalid host', 'http://a..%zz/', HOST],
  ['port 0', 'http://a.test:0/', 'must not use port 0, which is not for HTTP'],
  ['port 1', 'http://a.test:1/', 'must not use port 1, which is not for HTTP'],
  ['port 22', 'https://a.test:22/', 'must not use port 22, which is not for HTTP'],
  ['port 10080', 'https://a.test:10080/', 'must not use port 10080, which is not for HTTP'],
  [
    'a host of 254 characters',
    `http://${'a'.repeat(254)}/`,
    'must have a host of at most 253 characters',
  ],
  ['8 KiB and a byte', `http://a.test/${'a'.repeat(8_192 - 13)}`, LENGTH],
  ['8 KiB and a byte in characters of two', `http://a.test/${'ä'.repeat(4_089)}b`, LENGTH],
];

const READ: [name: string, url: string, href: string, writtenHost: string][] = [
  ['a path and a query', 'http://a.test/p?q=1', 'http://a.test/p?q=1', 'a.test'],
  ['upper case', 'HTTPS://A.test/', 'https://a.test/', 'A.test'],
  ['a port', 'http://a.test:8080/', 'http://a.test:8080/', 'a.test'],
  ['an empty port', 'http://a.test:/', 'http://a.test/', 'a.test'],
  ['an IPv6 literal with a port', 'http://[::1]:8080/', 'http://[::1]:8080/', '[::1]'],
  ['a fragment', 'http://a.test/p#f', 'http://a.test/p', 'a.test'],
  ['an empty fragment', 'http://a.test/p#', 'http://a.test/p#', 'a.test'],
  ['`@` in the path', 'http://a.test/@b', 'http://a.test/@b', 'a.test'],
  ['`@` in the query', 'http://a.test?a@b', 'http://a.test/?a@b', 'a.test'],
  ['a blank in the query', 'http://a.test/?a b', 'http://a.test/?a%20b', 'a.test'],
  ['the neighbours of a blocked port', 'http://a.test:24/', 'http://a.test:24/', 'a.test'],
  ['port 2', 'http://a.test:2/', 'http://a.test:2/', 'a.test'],
  ['port 65535', 'http://a.test:65535/', 'http://a.test:65535/', 'a.test'],
  [
    'a host of 253 characters',
    `http://${'a'.repeat(253)}/`,
    `http://${'a'.repeat(253)}/`,
    'a'.repeat(253),
  ],
];

describe('readUrl', () => {
  it.each(MALFORMED)('rejects %s', (_name, url, message) => {
    expect(readUrl(url)).toEqual({ violation: { pointer: '/url', message } });
  });

  it.each(READ)('reads %s', (_name, url, href, writtenHost) => {
    const target = readUrl(url);
    expect(target).toEqual({ url: expect.any(URL), writtenHost });
    expect('url' in target && target.url.href).toBe(href);
  });

  it('reads exactly 8 KiB, in characters of two bytes, too', () => {
    for (const url of [
      `http://a.test/${'a'.repeat(8_178)}`,
      `http://a.test/${'ä'.repeat(4_089)}`,
    ]) {
      expect(Buffer.byteLength(url)).toBe(8_192);
      expect(readUrl(url)).toHaveProperty('url');
    }
  });

  it('blocks every bad port of the Fetch standard, and no port of HTTP', () => {
    const blocked = [
      0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101,
      102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427,
      465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990,
      993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667,
      6668, 6669, 6679, 6697, 10080,
    ];
    const found = Array.from({ length: 65_536 }, (_, port) => port).filter(
      (port) => 'violation' in readUrl(`http://a.test:${port}/`),
    );
    expect(found).toEqual(blocked);
  });
});

const BASE = new URL('https://a.test/dir/page?q=1');
const LOCATIONS: [name: string, location: string, href: string][] = [
  ['another URL', 'http://b.test/x', 'http://b.test/x'],
  ['an upper-case scheme', 'HTTP://b.test/x', 'http://b.test/x'],
  ['another host', '//b.test/x', 'https://b.test/x'],
  ['a path', '/x', 'https://a.test/x'],
  ['a relative path', 'x', 'https://a.test/dir/x'],
  ['a query', '?r=2', 'https://a.test/dir/page?r=2'],
  ['blanks and tabs around it', ' \t/x\t ', 'https://a.test/x'],
  ['UTF-8 as latin1', Buffer.from('/ä').toString('latin1'), 'https://a.test/%C3%A4'],
  ['a relative path with a colon', 'x/y:z', 'https://a.test/dir/x/y:z'],
  ['a URL in a path', '/x/http://b.test', 'https://a.test/x/http://b.test'],
  ['bytes that are no UTF-8', '/\xe4\xff', 'https://a.test/%E4%FF'],
];

describe('readLocation', () => {
  it.each([
    ['http://0x7f.1/', '0x7f.1'],
    ['HTTP://%61.test/', '%61.test'],
    ['//0x7f.1/', '0x7f.1'],
    [Buffer.from('//münchen.test/').toString('latin1'), 'münchen.test'],
  ])('keeps the host of %s as it is written', (location, writtenHost) => {
    expect(readLocation(location, BASE)).toMatchObject({ writtenHost });
  });

  it('rejects an empty user, which parsers drop', () => {
    for (const location of ['https://@a.test/', '//@a.test/'])
      expect(readLocation(location, BASE)).toMatchObject({ violation: { message: CREDENTIALS } });
  });

  it.each(LOCATIONS)('reads %s', (_name, location, href) => {
    const target = readLocation(location, BASE);
    expect('url' in target ? target.url.href : target.violation).toBe(href);
  });

  it.each([
    ['credentials', 'https://user@a.test/', CREDENTIALS],
    ['another scheme', 'mailto:someone@a.test', FORM],
    ['a scheme with digits and signs', 'h2+x-y.z:a', FORM],
    ['a backslash in a path', '/\\b.test/', DROPPED],
    ['a backslash for slashes', '\\\\b.test/', DROPPED],
    ['a control character', '/a\tb', DROPPED],
    ['credentials behind two slashes', '//user@b.test/', CREDENTIALS],
  ])('rejects %s', (_name, location, message) => {
    expect(readLocation(location, BASE)).toEqual({ violation: { pointer: '/url', message } });
  });

  it('takes time linear in the blanks inside it', () => {
    const read = () => void readLocation(`/a${' '.repeat(100_000)}b`, BASE);
    expect(processorMs(read)).toBeLessThan(1_000);
  });
});

function admit(url: string): string {
  const target = readUrl(url);
  if ('violation' in target) throw new Error(target.violation.message);
  try {
    admitTarget(target, sandbox);
    return 'admitted';
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    expect(error.code).toBe('HostNotAllowed');
    return error.message;
  }
}

describe('admitTarget', () => {
  it.each([
    'http://a.test/',
    'http://A.TEST/',
    'https://a.test:8443/',
    'https://any.wild.test/',
    'https://münchen.test/',
    'https://mu\u0308nchen.test/',
    'https://xn--mnchen-3ya.test/',
    'http://[::1]:8080/',
  ])('admits %s', (url) => {
    expect(admit(url)).toBe('admitted');
  });

  it.each([
    ['http://c.test/x', 'c.test'],
    ['http://wild.test/', 'wild.test'],
    ['http://a.test.evil.test:8080/', 'a.test.evil.test:8080'],
    ['http://[::1]/', '[::1]'],
  ])('refuses %s, which is not listed', (url, host) => {
    expect(admit(url)).toBe(
      `The host \`${host}\` is not on the allowlist; an operator would have to add it to THE_HOSTS. Other spellings or routes will not help.`,
    );
  });

  it.each([
    ['http://a.test./', 'a.test'],
    ['http://%61.test/', 'a.test'],
    ['http://ａ.test/', 'a.test'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['http://2130706433/', '127.0.0.1'],
    ['http://[0:0:0:0:0:0:0:1]:8080/', '[::1]'],
  ])('refuses the spelling %s', (url, canonical) => {
    expect(admit(url)).toBe(
      `The host is not in its canonical form. Write it as \`${canonical}\`, which THE_HOSTS has to list; other spellings are refused.`,
    );
  });
});
