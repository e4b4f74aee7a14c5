import { describe, expect, it } from 'vitest';
import { listHosts, parseAllowlist, parseNetworks } from '../../src/index.ts';
import { startExecutor } from '../support/executor.ts';

const PORT = 8080;
/** An entry of each form. */
const ENTRIES = [
  ...['api.test', `port.test:${PORT}`, 'other-port.test:2', 'http.test:80', 'https.test:443'],
  ...['*.wild.test', `*.wild-port.test:${PORT}`, '*.wild-other-port.test:2', 'bücher.test'],
  ...['*.müller.test', '127.0.0.1', '[::1]:2'],
];

const INSIDE = [
  ...['http://api.test:PORT/', 'http://API.Test:PORT/', 'http://port.test:PORT/'],
  ...['http://v1.wild.test:PORT/', 'http://eu.v1.WILD.test:PORT/', 'https://http.test:80/'],
  ...['http://v1.wild-port.test:PORT/', 'http://bücher.test:PORT/', 'http://BÜCHER.test:PORT/'],
  ...['http://bu\u0308cher.test/', 'http://xn--bcher-kva.test:PORT/', 'http://api.müller.test/'],
  ...['http://api.xn--mller-kva.test:PORT/', 'http://127.0.0.1:PORT/', 'http://[::1]:2/'],
];

const OUTSIDE = [
  ...['http://other.test:PORT/', 'http://localhost:PORT/', 'http://v1.api.test:PORT/'],
  ...['http://xapi.test:PORT/', 'http://api.test.evil.test:PORT/', 'http://evil.test/api.test'],
  ...['http://evil.test/?api.test', 'http://evil.test/#@api.test', 'http://port.test/'],
  ...['http://other-port.test:PORT/', 'http://http.test:PORT/', 'https://http.test/'],
  ...['http://https.test/', 'http://wild.test:PORT/', 'http://.wild.test:PORT/'],
  ...['http://xwild.test:PORT/', 'http://v1.wild-other-port.test:PORT/', 'http://[::1]:PORT/'],
  ...['http://bucher.test:PORT/', 'http://127.0.0.2:PORT/', 'http://0.0.0.0:PORT/'],
  ...['http://[::ffff:7f00:1]:PORT/'],
];

/** Odd spellings of an allowed host, with the host after parsing. */
const SPELLINGS: [url: string, canonical: string][] = [
  ['http://2130706433/', '127.0.0.1'],
  ['http://0x7f.1/', '127.0.0.1'],
  ['http://0x7f000001/', '127.0.0.1'],
  ['http://0177.0.0.1/', '127.0.0.1'],
  ['http://127.1/', '127.0.0.1'],
  ['http://127.0.0.1./', '127.0.0.1'],
  ['http://api.te%73t/', 'api.test'],
  ['http://ａｐｉ.test/', 'api.test'],
  ['http://a\u00adpi.test/', 'api.test'],
  ['http://api.test./', 'api.test'],
  ['http://[0:0:0:0:0:0:0:1]:2/', '[::1]'],
];

/** Returns `admitted`, or the refusal of an action with this URL. */
async function judge(url: string, hosts: readonly string[]): Promise<string> {
  const resolve = async () => [];
  await using executor = await startExecutor({ hosts, resolve });
  const dryRun = executor.dryRun({ method: 'GET', url: url.replace('PORT', `${PORT}`) });
  return dryRun.then(
    () => 'admitted',
    ({ code, message }) => `${code}: ${message}`,
  );
}

describe('the allowlist', () => {
  it.each(INSIDE)('admits %s', async (url) => {
    expect(await judge(url, ENTRIES)).toBe('admitted');
  });

  it.each(OUTSIDE)('does not admit %s', async (url) => {
    const { host } = new URL(url.replace('PORT', `${PORT}`));
    expect(await judge(url, ENTRIES)).toBe(
      `HostNotAllowed: The host \`${host}\` is not on the allowlist; ask an operator to add it to the allowed hosts. Spelling the URL differently or using a redirect will not help.`,
    );
  });

  it.each(SPELLINGS)('does not admit %s, which means %s', async (url, canonical) => {
    for (const hosts of [ENTRIES, ['elsewhere.test']])
      expect(await judge(url, hosts)).toBe(
        `HostNotAllowed: The URL's host is not in canonical form; write the host as \`${canonical}\`, which must be listed in the allowed hosts.`,
      );
  });

  it('admits nothing if it is empty', async () => {
    for (const url of INSIDE) expect(await judge(url, [])).toMatch(/^HostNotAllowed/);
  });
});

describe('an entry', () => {
  it.each([
    ['API.Test', 'api.test'],
    ['API.Test:080', 'api.test:80'],
    ['*.API.Test', '*.api.test'],
    ['BÜCHER.test:1', 'xn--bcher-kva.test:1'],
    ['*.bücher.test', '*.xn--bcher-kva.test'],
    ['::1', '::1'],
    ['[::1]', '::1'],
    ['[::1]:80', '[::1]:80'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['FD00::1', 'fd00::1'],
    ['a.test:65535', 'a.test:65535'],
  ])('`%s` is shown as `%s`', (written, shown) => {
    expect(listHosts(parseAllowlist([written]).all)).toEqual([shown]);
  });

  it('is named in the error if it is malformed', () => {
    const malformed = [
      ...['http://api.test', 'api.test/path', 'api.test?', 'me@api.test', 'api.test:', 'api test'],
      ...['api.test:0', 'api.test:65536', 'api.test:http', '*', '*.', '*.*.test', 'api.*.test'],
      ...['*.127.0.0.1', '*.[::1]', '256.0.0.1', '1.2.3.4.5', '127.0.0.1/8', '[::1', '::1]'],
      ...['2130706433', '0x7f.1:80', '10.5', '010.0.0.5', '*.10.5'],
      ...['[::g]', '1:2:3', '[127.0.0.1]', 'fe80::1%eth0', 'api%2etest', '"a.test"', 'a;b'],
    ];
    for (const entry of malformed)
      expect(() => parseAllowlist(['localhost', entry]), entry).toThrow(`\`${entry}\``);
    expect(() => parseAllowlist(['a b', 'ok.test', 'http://c'])).toThrow(
      /^(?!.*ok\.test).*`a b`.*`http:\/\/c`.*host:port/,
    );
  });
});

describe('a network', () => {
  it('is named in the error if it is malformed', () => {
    const malformed = [
      ...['10.0.0.0', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/a', '0x0a.0.0.0/8', '::/129'],
      // A lenient parser would read these as 0.0.0.10/8, 192.0.0.168/16 and 8.0.0.0/8.
      ...['10/8', '192.168/16', '010.0.0.0/8'],
      ...['fd00::', 'localhost/8', '*', '10.0.0.0/8/8', '10.0.0.0 /8'],
    ];
    for (const network of malformed)
      expect(() => parseNetworks(['10.0.0.0/8', network]), network).toThrow(`\`${network}\``);
  });

  it.each(['0.0.0.0/0', '10.1.2.3/32', '::/0', 'FD00::/8', '::ffff:10.0.0.0/104'])(
    '`%s` is accepted',
    (network) => expect(parseNetworks([network])).toHaveLength(1),
  );
});
