import { startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { readProblem, startExecutor } from './support/executor.ts';
import { textWith } from './support/outcomes.ts';
import { resolver } from './support/resolver.ts';

/** With the name `n0.test` for the first of these addresses, and so on. */
const start = (networks: string, addresses: readonly string[]) =>
  startExecutor({
    env: { HTTP_EXECUTOR_ALLOWED_HOSTS: '*.test', HTTP_EXECUTOR_ALLOWED_NETWORKS: networks },
    connect: resolver(
      Object.fromEntries(addresses.map((address, n) => [`n${n}.test`, [[address]]])),
    ),
  });

/** What stays refused, by its kind, although an operator opened the network. */
const CASES: [networks: string, open: string[], refused: [address: string, kind: string][]][] = [
  [
    '10.1.0.0/16',
    ['10.1.0.0', '10.1.255.255', '::ffff:10.1.0.1'],
    [
      ['10.0.255.255', 'private'],
      ['10.2.0.0', 'private'],
    ],
  ],
  ['172.16.0.0/13', ['172.23.255.255'], [['172.24.0.0', 'private']]],
  [
    '10.0.0.1/32',
    ['10.0.0.1'],
    [
      ['10.0.0.0', 'private'],
      ['10.0.0.2', 'private'],
    ],
  ],
  [
    '169.254.0.0/16',
    ['169.254.169.253'],
    [
      ['169.254.169.254', 'metadata'],
      ['169.254.170.2', 'metadata'],
    ],
  ],
  ['fe80::/10', ['fe80::a9fe:a9fd'], [['fe80::a9fe:a9fe', 'metadata']]],
  // Each of the addresses that it may mean has to be open.
  ['fd00::/8', [], [['fd00::5efe:a00:1', 'private']]],
  ['10.0.0.0/8', [], [['fd00::5efe:a00:1', 'unique local']]],
  ['10.0.0.0/8, fd00::/8', ['fd00::5efe:a00:1'], []],
  [
    '169.254.169.254/32',
    [],
    [
      ['169.254.169.254', 'metadata'],
      ['::ffff:169.254.169.254', 'metadata'],
    ],
  ],
  ['100.64.0.0/10', ['100.100.100.199'], [['100.100.100.200', 'metadata']]],
  ['192.0.0.0/24', ['192.0.0.191'], [['192.0.0.192', 'metadata']]],
  ['168.63.129.0/24', ['168.63.129.15'], [['168.63.129.16', 'metadata']]],
  [
    'fc00::/7',
    ['fd00:ec1::254', 'fd00:ec3::254', 'fd20:ce::255'],
    [
      ['fd00:ec2::254', 'metadata'],
      ['fd00:ec2::23', 'metadata'],
      ['fd20:ce::254', 'metadata'],
    ],
  ],
  [
    'fd00::/8',
    ['fdff::1'],
    [
      ['fcff::1', 'unique local'],
      ['fe80::1', 'link-local'],
    ],
  ],
  [
    '::/0',
    ['fd00::1', '2001:db8::1'],
    [
      ['10.0.0.1', 'private'],
      ['::ffff:10.0.0.1', 'private'],
    ],
  ],
  [
    '64:ff9b::/96, 64:ff9b:1::/48',
    ['64:ff9b:1:1::808:808', '64:ff9b:1:fffe::808:808', '64:ff9b:1:808:8:800::'],
    [
      ['64:ff9b:1:a9fe:a9:fe00::', 'metadata'],
      ['64:ff9b:1:a00:0:100::', 'private'],
      ['64:ff9b::a9fe:a9fe', 'metadata'],
      ['64:ff9b:1::a00:1', 'private'],
    ],
  ],
];

describe('HTTP_EXECUTOR_ALLOWED_NETWORKS', () => {
  it.each(CASES)('`%s` opens %j, and not %j', async (networks, open, refused) => {
    await using executor = await start(networks, [...open, ...refused.map(([address]) => address)]);
    for (const [n, address] of open.entries()) {
      const answer = await executor.dryRun({ method: 'GET', url: `http://n${n}.test/` });
      expect(await answer.json()).toMatchObject({ outcome: 'dry_run', addresses: [address] });
    }
    for (const [n, [address, kind]] of refused.entries()) {
      const action = { method: 'GET', url: `http://n${open.length + n}.test/` };
      const expected = { status: 403, code: 'AddressNotAllowed', detail: textWith(kind) };
      expect(await executor.problem(action), address).toMatchObject(expected);
      expect(await readProblem(await executor.dryRun(action)), address).toMatchObject(expected);
    }
  });
});

describe('an open network whose address the system leads elsewhere', () => {
  it('0.0.0.0 is loopback once connected, to which nothing is said', async () => {
    await using upstream = await startUpstream();
    await using executor = await start('0.0.0.0/8', ['0.0.0.0']);
    const action = { method: 'POST', url: `http://n0.test:${upstream.port}/` };
    const expected = { code: 'AddressNotAllowed', detail: textWith('its address is loopback') };
    expect(await executor.problem(action)).toMatchObject(expected);
    expect(upstream.requests).toHaveLength(0);
  });
});
