import { describe, expect, it } from 'vitest';
import { inspectAction } from '../../src/action/index.ts';

const messageOf = (url: string) => inspectAction({ url }, 1024 * 1024)[0]?.message;

const FORM = 'must be absolute, in the form `https://host/path` or `http://host/path`';
const DROPPED = 'must not contain control characters, backslashes, or spaces at either end';
const CREDENTIALS = 'must not contain credentials; send them in a header';
const HOST = 'must have a valid host and a port from 1 to 65535';
const LENGTH = 'must be at most 8192 bytes';

const MALFORMED: [name: string, url: string, message: string][] = [
  ['no scheme', 'a.test/', FORM],
  ['no scheme but two slashes', '//a.test/', FORM],
  ['a path alone', '/path', FORM],
  ['another scheme', 'ftp://a.test/', FORM],
  ['data', 'data:application/json,{}', FORM],
  ['a scheme behind something', 'x http://a.test/', FORM],
  ['one slash', 'http:/a.test/', FORM],
  ['three slashes', 'http:///a.test/', FORM],
  ['no host', 'http://', FORM],
  ['no host but a path', 'http://?q', FORM],
  ['a fragment for a host', 'http://#a', FORM],
  ['a user', 'http://user@a.test/', CREDENTIALS],
  ['an empty user', 'https://@a.test/', CREDENTIALS],
  ['a user and a password', 'http://user:pass@a.test/', CREDENTIALS],
  ['a password alone', 'http://:pass@a.test/', CREDENTIALS],
  ['NUL', 'http://a.test/\0', DROPPED],
  ['a unit separator', 'http://a.test/\x1f', DROPPED],
  ['DEL in a path', 'http://a.test/\x7f', DROPPED],
  ['a tab in the host', 'http://a\t.test/', DROPPED],
  ['a backslash', 'http://a.test/a\\b', DROPPED],
  ['a backslash before a host inside', 'http://evil.test\\.wild.test/', DROPPED],
  ['a blank in front', ' http://a.test/', DROPPED],
  ['a blank behind', 'http://a.test/ ', DROPPED],
  ['port 65536', 'http://a.test:65536/', HOST],
  ['an invalid host', 'http://a..%zz/', HOST],
  ['port 0', 'http://a.test:0/', 'must not use port 0, which belongs to another protocol'],
  ['port 1', 'http://a.test:1/', 'must not use port 1, which belongs to another protocol'],
  [
    'port 10080',
    'https://a.test:10080/',
    'must not use port 10080, which belongs to another protocol',
  ],
  ['a long host', `http://${'a'.repeat(254)}/`, 'must have a host of at most 253 characters'],
  ['8 KiB and a byte', `http://a.test/${'a'.repeat(8_179)}`, LENGTH],
  ['8 KiB and a byte in characters of two', `http://a.test/${'ä'.repeat(4_089)}b`, LENGTH],
];

describe('the URL of an action', () => {
  it.each(MALFORMED)('is refused with %s', (_name, url, message) => {
    expect(messageOf(url)).toBe(message);
  });

  it.each([
    ...['http://a.test/p?q=1', 'HTTPS://A.test/', 'http://a.test:/', 'http://[::1]:8080/'],
    ...['http://a.test/p#', 'http://a.test/@b', 'http://a.test?a@b', 'http://a.test/?a b'],
    ...['http://a.test:2/', 'http://a.test:65535/', `http://${'a'.repeat(253)}/`],
    ...[`http://a.test/${'a'.repeat(8_178)}`, `http://a.test/${'ä'.repeat(4_089)}`],
  ])('may be %s', (url) => {
    expect(messageOf(url)).toBeUndefined();
  });
});
