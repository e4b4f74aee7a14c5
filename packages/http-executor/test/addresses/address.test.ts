import { describe, expect, it } from 'vitest';
import { createSandbox } from '../../src/index.ts';

/** First and last addresses of ranges that a name must not reach. */
const REFUSED_RANGES: [name: string, first: string, last: string][] = [
  ['this network', '0.0.0.0', '0.255.255.255'],
  ['private 10/8', '10.0.0.0', '10.255.255.255'],
  ['carrier-grade NAT', '100.64.0.0', '100.127.255.255'],
  ['loopback', '127.0.0.0', '127.255.255.255'],
  ['link-local', '169.254.0.0', '169.254.255.255'],
  ['private 172.16/12', '172.16.0.0', '172.31.255.255'],
  ['IETF protocol assignments', '192.0.0.0', '192.0.0.255'],
  ['TEST-NET-1', '192.0.2.0', '192.0.2.255'],
  ['private 192.168/16', '192.168.0.0', '192.168.255.255'],
  ['benchmarking', '198.18.0.0', '198.19.255.255'],
  ['TEST-NET-2', '198.51.100.0', '198.51.100.255'],
  ['TEST-NET-3', '203.0.113.0', '203.0.113.255'],
  ['multicast', '224.0.0.0', '239.255.255.255'],
  ['reserved and broadcast', '240.0.0.0', '255.255.255.255'],
  ['IPv6 unspecified and loopback', '::', '::1'],
  ['IPv4-mapped loopback', '::ffff:127.0.0.1', '::ffff:7fff:ffff'],
  ['IPv4-mapped private', '::ffff:10.0.0.0', '::ffff:10.255.255.255'],
  ['IPv4-mapped metadata', '::ffff:169.254.169.254', '::ffff:a9fe:a9fe'],
  ['IPv4-compatible loopback and private', '::127.0.0.1', '::10.0.0.1'],
  ['NAT64 of loopback', '64:ff9b::127.0.0.1', '64:ff9b::7f00:2'],
  ['NAT64 of private', '64:ff9b::10.0.0.1', '64:ff9b::192.168.0.1'],
  ['AS112 and AMT', '192.175.48.0', '192.52.193.255'],
  ['unique local', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['IPv6 link-local', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['site-local', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['IPv6 multicast', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['IPv6 documentation', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['new IPv6 documentation', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['discard only', '100::', '100::ffff:ffff:ffff:ffff'],
  ['outside global unicast', '4000::', 'fbff:ffff::'],
  ['segment routing', '5f00::', '5f00:ffff::'],
  ['metadata of AWS', 'fd00:ec2::254', '169.254.169.254'],
  ['metadata of Azure and Alibaba', '168.63.129.16', '100.100.100.200'],
];

/** Addresses from which a gateway may forward to an IPv4 address, whether or not it is public. */
const EMBEDDED_RANGES: typeof REFUSED_RANGES = [
  ['IPv4-compatible', '::2', '::ffff:ffff'],
  ['IPv4-translated', '::ffff:0:0.0.0.0', '::ffff:0:255.255.255.255'],
  ['local NAT64', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['6to4', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['Teredo', '2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['ISATAP', 'fe80::5efe:10.0.0.1', '2606:4700::200:5efe:8.8.8.8'],
];

/** Addresses just outside of the ranges, and a few well-known public ones. */
const PUBLIC = (
  '1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 ' +
  '168.63.129.15 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 ' +
  '192.0.1.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 203.0.112.255 ' +
  '203.0.114.0 223.255.255.255 1.1.1.1 8.8.8.8 2606:4700:4700::1111 ' +
  '2a00:1450:4001:81b::200e 2001:4860:4860::8888 2001:db7:ffff:: 2001:db9:: 3ffe:ffff:: ' +
  '3fff:1000:: ::ffff:8.8.8.8 64:ff9b::8.8.8.8 2001:4136:: ' +
  '2003:: 2606:4700::1:5efe:a00:1 2606:4700::200:5eff:a00:1'
).split(' ');

describe('an allowlisted name', () => {
  const sandbox = createSandbox(['api.test'], []);

  it.each([...REFUSED_RANGES, ...EMBEDDED_RANGES])(
    'may not reach %s: %s and %s',
    (_name, first, last) => {
      for (const address of [first, last]) {
        expect(sandbox.mayReach('api.test', address), address).toEqual({
          ok: false,
          reason: expect.any(String),
        });
      }
    },
  );

  it.each(PUBLIC)('may reach %s', (address) => {
    expect(sandbox.mayReach('api.test', address)).toEqual({ ok: true });
  });

  it.each(EMBEDDED_RANGES)('may not reach %s even in allowed networks', (_name, first, last) => {
    const open = createSandbox(['api.test'], ['::/0', '0.0.0.0/0']);
    for (const address of [first, last])
      expect(open.mayReach('api.test', address)).toMatchObject({
        ok: false,
        reason: expect.stringContaining('list the IP address itself'),
      });
  });

  it('may reach a private address through NAT64 only in its allowed network', () => {
    for (const [network, ok] of [
      ['10.0.0.0/8', true],
      ['64:ff9b::/96', false],
    ] as const)
      expect(createSandbox(['api.test'], [network]).mayReach('api.test', '64:ff9b::a00:1').ok).toBe(
        ok,
      );
  });

  it.each(['', 'api.test', '10.0.0.1/8', '::g', 'undefined'])(
    'may not reach something that is not an address: %j',
    (text) => {
      expect(sandbox.mayReach('api.test', text)).toMatchObject({ ok: false });
    },
  );

  it.each(['fe80::1%eth0', '::ffff:127.0.0.1%1'])('may not reach %s', (address) => {
    expect(sandbox.mayReach('api.test', address)).toMatchObject({ ok: false });
  });
});

describe('allowed networks', () => {
  it.each([
    ['10.0.0.0/8', '10.0.0.0', true],
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '192.168.0.1', false],
    ['10.1.2.3/32', '10.1.2.3', true],
    ['10.1.2.3/32', '10.1.2.2', false],
    ['10.1.2.3/32', '10.1.2.4', false],
    ['172.16.0.0/13', '172.23.255.255', true],
    ['172.16.0.0/13', '172.24.0.0', false],
    ['10.0.0.0/8', '::ffff:10.0.0.1', true],
    ['fd00::/8', 'fd12::1', true],
    ['fd00::/8', 'fc00::1', false],
    ['::/0', '10.0.0.1', false],
    ['0.0.0.0/0', 'fd00::1', false],
    ['0.0.0.0/0', '127.0.0.1', true],
    ['0.0.0.0/0', '169.254.169.254', false],
    ['::/0', 'fd00:ec2::254', false],
    ['::/0', 'fd00:ec2::23', false],
    ['::/0', 'fd00:ec3::23', true],
    ['::/0', 'fe80::a9fe:a9fe', false],
    ['::/0', 'fe80::a9fe:a9fe%eth0', false],
    ['::/0', 'fe80::a9fe:a9fd', true],
    ['64:ff9b:1::/48', '64:ff9b:1:a9fe:a9:fe00::', false],
    ['64:ff9b:1::/48', '64:ff9b:1::10.0.0.1', false],
    ['169.254.0.0/16', '169.254.1.1', true],
    ['169.254.169.254/32', '169.254.169.254', false],
  ])('%s and %s: %s', (network, address, ok) => {
    expect(createSandbox(['api.test'], [network]).mayReach('api.test', address).ok).toBe(ok);
  });
});

describe('localhost', () => {
  const sandbox = createSandbox(['localhost'], ['10.0.0.0/8']);

  it.each([
    ['127.0.0.1', true],
    ['127.255.255.255', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['10.0.0.1', false],
    ['8.8.8.8', false],
    ['169.254.169.254', false],
    ['::', false],
    ['0.0.0.0', false],
  ])('and %s: %s', (address, ok) => {
    expect(sandbox.mayReach('localhost', address).ok).toBe(ok);
  });
});

describe('an address on the allowlist', () => {
  const sandbox = createSandbox(['127.0.0.1', '10.0.0.1', '::1', 'fd00::1'], []);

  it.each([
    ['127.0.0.1', '127.0.0.1', true],
    ['127.0.0.1', '::ffff:127.0.0.1', true],
    ['10.0.0.1', '10.0.0.1', true],
    ['[::1]', '::1', true],
    ['[::1]', '0:0:0:0:0:0:0:1', true],
    ['[fd00::1]', 'FD00::1', true],
    ['127.0.0.1', '127.0.0.2', false],
    ['10.0.0.1', '8.8.8.8', false],
    ['[::1]', '127.0.0.1', false],
    ['0.0.0.0', '0.0.0.0', false],
    ['[::]', '::', false],
    // This begins like an IP address, but it is a host name.
    ['10.0.0.1.example.com', '8.8.8.8', true],
    ['10.0.0.1.example.com', '10.0.0.1', false],
  ])('%s and %s: %s', (host, address, ok) => {
    expect(sandbox.mayReach(host, address).ok).toBe(ok);
  });
});
