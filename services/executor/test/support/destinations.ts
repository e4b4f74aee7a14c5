/**
 * An address that no name reaches unless an operator opens its network, and what it is
 * for.
 */
export interface RefusedAddress {
  readonly address: string;
  readonly kind: string;
}

type Row = readonly [kind: string, inside: readonly string[], justOutside: readonly string[]];

const ONES = 'ffff:ffff:ffff:ffff:ffff:ffff';

/** Each range by its first and last address, and by the public addresses next to them. */
const RANGES: readonly Row[] = [
  ['unspecified', ['0.0.0.0', '0.0.0.1', '0.255.255.255'], ['1.0.0.0']],
  ['private', ['10.0.0.0', '10.0.0.1', '10.255.255.255'], ['9.255.255.255', '11.0.0.0']],
  ['carrier-grade NAT', ['100.64.0.0', '100.127.255.255'], ['100.63.255.255', '100.128.0.0']],
  [
    'loopback',
    ['127.0.0.0', '127.0.0.1', '127.0.0.2', '127.255.255.255'],
    ['126.255.255.255', '128.0.0.0'],
  ],
  ['link-local', ['169.254.0.0', '169.254.255.255'], ['169.253.255.255', '169.255.0.0']],
  ['private', ['172.16.0.0', '172.31.255.255'], ['172.15.255.255', '172.32.0.0']],
  ['reserved', ['192.0.0.0', '192.0.0.255'], ['191.255.255.255', '192.0.1.0']],
  ['documentation', ['192.0.2.0', '192.0.2.255'], ['192.0.1.255', '192.0.3.0']],
  ['reserved', ['192.88.99.0', '192.88.99.255'], ['192.88.98.255', '192.88.100.0']],
  ['private', ['192.168.0.0', '192.168.255.255'], ['192.167.255.255', '192.169.0.0']],
  ['benchmarking', ['198.18.0.0', '198.19.255.255'], ['198.17.255.255', '198.20.0.0']],
  ['documentation', ['198.51.100.0', '198.51.100.255'], ['198.51.99.255', '198.51.101.0']],
  ['documentation', ['203.0.113.0', '203.0.113.255'], ['203.0.112.255', '203.0.114.0']],
  ['multicast', ['224.0.0.0', '239.255.255.255'], ['223.255.255.255']],
  ['reserved', ['240.0.0.0', '255.255.255.254'], []],
  ['broadcast', ['255.255.255.255'], []],
  ['unspecified', ['::'], []],
  ['loopback', ['::1'], []],
  [
    'reserved',
    ['::2', '::ff', '100::', '100::ffff:ffff:ffff:ffff', `1fff:ffff:${ONES}`],
    ['2000::'],
  ],
  ['reserved', ['2001:1::', `2001:1ff:${ONES}`], ['2001:200::']],
  ['benchmarking', ['2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff'], []],
  ['documentation', ['2001:db8::', `2001:db8:${ONES}`], [`2001:db7:${ONES}`, '2001:db9::']],
  ['documentation', ['3fff::', `3fff:fff:${ONES}`], [`3ffe:ffff:${ONES}`, '3fff:1000::']],
  ['reserved', ['4000::', '5f00::', `fbff:ffff:${ONES}`], [`3fff:ffff:${ONES}`]],
  ['unique local', ['fc00::', 'fd00::1', `fdff:ffff:${ONES}`], []],
  ['reserved', ['fe00::', `fe7f:ffff:${ONES}`], []],
  ['link-local', ['fe80::', 'fe80::1', `febf:ffff:${ONES}`], []],
  ['site-local', ['fec0::', `feff:ffff:${ONES}`], []],
  ['multicast', ['ff00::', 'ff02::1', `ffff:ffff:${ONES}`], []],
];

/** Single addresses, and the ones next to them, which belong to the range around. */
const METADATA: readonly Row[] = [
  ['cloud metadata', ['169.254.169.254', '169.254.170.2', '169.254.170.23'], []],
  [
    'link-local',
    ['169.254.169.253', '169.254.169.255', '169.254.170.1', '169.254.170.3', '169.254.170.24'],
    [],
  ],
  [
    'cloud metadata',
    ['169.254.0.23', '169.254.10.10', '169.254.42.42', '169.254.169.250', '169.254.169.252'],
    [],
  ],
  [
    'link-local',
    ['169.254.0.22', '169.254.0.24', '169.254.10.9', '169.254.10.11', '169.254.169.251'],
    [],
  ],
  ['link-local', ['169.254.42.41', '169.254.42.43', '169.254.169.249', '169.254.170.22'], []],
  ['cloud metadata', ['168.63.129.16'], ['168.63.129.15', '168.63.129.17']],
  ['cloud metadata', ['100.100.100.200', '100.96.0.96', '100.80.80.80'], []],
  ['carrier-grade NAT', ['100.100.100.199', '100.100.100.201', '100.96.0.95', '100.96.0.97'], []],
  ['carrier-grade NAT', ['100.80.80.79', '100.80.80.81'], []],
  ['cloud metadata', ['192.0.0.192'], []],
  ['reserved', ['192.0.0.191', '192.0.0.193'], []],
  [
    'cloud metadata',
    ['fd00:ec2::', 'fd00:ec2::23', 'fd00:ec2::253', 'fd00:ec2::254', `fd00:ec2:${ONES}`],
    [],
  ],
  ['unique local', [`fd00:ec1:${ONES}`, 'fd00:ec3::'], []],
  ['cloud metadata', ['fd20:ce::254', 'fd00:c1::a9fe:a9fe', 'fd00:a9fe:a9fe::1'], []],
  [
    'unique local',
    ['fd20:ce::253', 'fd20:ce::255', 'fd00:c1::a9fe:a9fd', 'fd00:c1::a9fe:a9ff'],
    [],
  ],
  ['unique local', ['fd00:a9fe:a9fd::1', 'fd00:a9fe:a9ff::1'], []],
  ['cloud metadata', ['fd00:42::42', 'fd00:100::100:200'], []],
  ['unique local', ['fd00:42::41', 'fd00:42::43', 'fd00:100::100:199', 'fd00:100::100:201'], []],
  ['cloud metadata', ['fe80::a9fe:a9fe'], []],
  ['link-local', ['fe80::a9fe:a9fd', 'fe80::a9fe:a9ff'], []],
];

/** Two groups of an IPv6 address that hold an IPv4 one. */
function groups(ipv4: string, flip = 0): string {
  const bytes = ipv4.split('.').map((part) => Number(part) ^ flip);
  const group = (index: number) =>
    (((bytes[index] ?? 0) << 8) | (bytes[index + 1] ?? 0)).toString(16);
  return `${group(0)}:${group(2)}`;
}

/** How IPv6 addresses carry IPv4 ones. */
export const CARRIERS: readonly ((ipv4: string) => string)[] = [
  (ipv4) => `::ffff:${groups(ipv4)}`,
  (ipv4) => `::ffff:0:${groups(ipv4)}`,
  (ipv4) => `::${groups(ipv4)}`,
  (ipv4) => `64:ff9b::${groups(ipv4)}`,
  (ipv4) => `64:ff9b:1::${groups(ipv4)}`,
  (ipv4) => `2002:${groups(ipv4)}::1`,
  (ipv4) => `2001:0:4136:e378:8000:63bf:${groups(ipv4, 0xff)}`,
  (ipv4) => `2606:4700::5efe:${groups(ipv4)}`,
  (ipv4) => `2606:4700::200:5efe:${groups(ipv4)}`,
];

const CARRIED: readonly Row[] = [
  ['loopback', ['127.0.0.2'], ['126.255.255.255']],
  ['private', ['10.0.0.1', '192.168.1.1'], ['8.8.8.8', '11.0.0.0']],
  ['cloud metadata', ['169.254.169.254', '168.63.129.16'], ['168.63.129.17']],
];

/**
 * An IPv4 address under a NAT64 prefix (RFC 6052, section 2.2): the byte after 64 bits is
 * skipped, the rest is as given.
 */
function nat64(prefix: string, length: number, ipv4: string, filler = 0): string {
  const bytes = [...Buffer.alloc(16, filler)];
  bytes.splice(
    0,
    length / 8,
    ...Buffer.from(prefix.padEnd(length / 4, '0'), 'hex').subarray(0, length / 8),
  );
  if (length < 96) bytes[8] = 0;
  for (const [index, part] of ipv4.split('.').entries()) {
    const place = length / 8 + index;
    bytes[place >= 8 && length < 96 ? place + 1 : place] = Number(part);
  }
  return Array.from({ length: 8 }, (_, index) =>
    Buffer.from(bytes).toString('hex', 2 * index, 2 * index + 2),
  )
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

const LOCAL_NAT64 = '0064ff9b0001';
const LENGTHS = [32, 40, 48, 56, 64, 96];

/**
 * Under prefixes that are not known to be NAT64: metadata is refused, and what is next to
 * it is what its network is.
 */
const GUESSED: readonly Row[] = LENGTHS.flatMap((length): Row[] => [
  [
    'cloud metadata',
    ['169.254.169.254', '168.63.129.16'].map((ipv4) =>
      nat64('2a001450400108abcdef0102', length, ipv4),
    ),
    [],
  ],
  ['cloud metadata', [nat64('2a001450400108abcdef0102', length, '169.254.170.2', 0xff)], []],
  ['cloud metadata', [nat64('fd12345678', length, '169.254.169.254')], []],
  [
    'unique local',
    [
      nat64('fd12345678', length, '169.254.169.253'),
      nat64('fd12345678', length, '169.254.169.255'),
    ],
    [],
  ],
  [
    'public',
    [],
    ['169.254.169.253', '10.0.0.1'].map((ipv4) => nat64('2a001450400108abcdef0102', length, ipv4)),
  ],
]);

/** Within the network for local NAT64 with any length of prefix. */
const LOCAL: readonly Row[] = [48, 56, 64, 96].flatMap((length): Row[] => [
  ['cloud metadata', [nat64(`${LOCAL_NAT64}ab`, length, '169.254.169.254')], []],
  ['cloud metadata', [nat64(`${LOCAL_NAT64}cd`, length, '169.254.169.254', 0xff)], []],
  [
    'private',
    ['192.168.1.1', '10.0.0.1', '172.31.255.255'].map((ipv4) =>
      nat64(`${LOCAL_NAT64}00cd`, length, ipv4),
    ),
    [],
  ],
  ['reserved', [nat64(`${LOCAL_NAT64}00cd`, length, '8.8.8.8')], []],
]);

/** A carried public address opens no network that is not public itself. */
const CARRIED_INSIDE: readonly Row[] = [
  ['unique local', [`fd00::5efe:${groups('8.8.8.8')}`], []],
  ['link-local', [`fe80::200:5efe:${groups('8.8.8.8')}`], []],
  ['documentation', [`2001:db8::5efe:${groups('8.8.8.8')}`], []],
  // Here 10.0.0.1 stands elsewhere than at the end.
  [
    'private',
    [`64:ff9b:1:a00:0:100:${groups('8.8.8.8')}`, `64:ff9b:1:a:0:1:${groups('8.8.8.8')}`],
    [],
  ],
  ['private', [`64:ff9b:1:fffe::${groups('10.0.0.1')}`, `fd00::5efe:${groups('10.0.0.1')}`], []],
  [
    'cloud metadata',
    [`64:ff9b:1:fffe::${groups('169.254.169.254')}`, '64:ff9b:1:a9fe:a9:fe00::'],
    [],
  ],
];

const carriedBy = (carry: (ipv4: string) => string): Row[] =>
  CARRIED.map(([kind, inside, outside]) => [kind, inside.map(carry), outside.map(carry)]);

const ALL: readonly Row[] = [
  ...RANGES,
  ...METADATA,
  ...CARRIERS.flatMap(carriedBy),
  ...CARRIED_INSIDE,
  ...LOCAL,
  ...GUESSED,
];

export const REFUSED: readonly RefusedAddress[] = ALL.flatMap(([kind, inside]) =>
  inside.map((address) => ({ address, kind })),
);

/** What everybody may reach, most of it next to what is refused. */
export const PUBLIC: readonly string[] = [
  ...ALL.flatMap(([, , outside]) => outside),
  ...['1.1.1.1', '8.8.8.8', '2606:4700:4700::1111', `2001:ffff:${ONES}`, '2003::'],
];

/** The address as a canonical URL writes it. */
export function urlHost(address: string): string {
  return new URL(`http://${address.includes(':') ? `[${address}]` : address}/`).hostname;
}
