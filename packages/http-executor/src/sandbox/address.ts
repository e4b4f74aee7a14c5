import ipaddr from 'ipaddr.js';
import { type Address, inNetwork } from './networks.ts';

type AddressClass =
  | 'public'
  | 'loopback'
  | 'private'
  | 'link-local'
  | 'carrier-grade NAT'
  | 'unspecified'
  | 'multicast'
  | 'broadcast'
  | 'documentation'
  | 'benchmarking'
  | 'unique local'
  | 'site-local'
  | 'cloud metadata'
  | 'reserved';

type Range = readonly [network: string, kind: AddressClass];

/** The first matching range determines the class. An address without a match is public. */
const IPV4_RANGES: readonly Range[] = [
  ['169.254.169.254/32', 'cloud metadata'], // AWS, GCP, Azure, Oracle and most others
  ['169.254.169.250/32', 'cloud metadata'], // Rancher
  ['169.254.169.252/32', 'cloud metadata'], // GKE workload identity
  ['169.254.170.2/32', 'cloud metadata'], // AWS ECS task credentials
  ['169.254.170.23/32', 'cloud metadata'], // AWS EKS pod identity
  ['169.254.0.23/32', 'cloud metadata'], // Tencent
  ['169.254.10.10/32', 'cloud metadata'], // Tencent
  ['169.254.42.42/32', 'cloud metadata'], // Scaleway
  ['168.63.129.16/32', 'cloud metadata'], // Azure WireServer
  ['100.100.100.200/32', 'cloud metadata'], // Alibaba
  ['100.96.0.96/32', 'cloud metadata'], // Volcengine
  ['100.80.80.80/32', 'cloud metadata'], // UCloud
  ['192.0.0.192/32', 'cloud metadata'], // Oracle
  ['0.0.0.0/8', 'unspecified'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'carrier-grade NAT'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'documentation'],
  ['192.88.99.0/24', 'reserved'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['255.255.255.255/32', 'broadcast'],
  ['240.0.0.0/4', 'reserved'],
];

const IPV6_RANGES: readonly Range[] = [
  ['fd00:ec2::/32', 'cloud metadata'], // AWS: instances, EKS pod identity, and future services
  ['fd20:ce::254/128', 'cloud metadata'], // GCP
  ['fd00:c1::a9fe:a9fe/128', 'cloud metadata'], // Oracle
  ['fe80::a9fe:a9fe/128', 'cloud metadata'], // OpenStack, Hetzner, Akamai
  ['fd00:a9fe:a9fe::1/128', 'cloud metadata'], // Akamai
  ['fd00:42::42/128', 'cloud metadata'], // Scaleway
  ['fd00:100::100:200/128', 'cloud metadata'], // Alibaba
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'site-local'],
  ['fc00::/7', 'unique local'],
  ['ff00::/8', 'multicast'],
  ['2001:db8::/32', 'documentation'],
  ['3fff::/20', 'documentation'],
  ['2001:2::/48', 'benchmarking'],
  ['2001::/23', 'reserved'],
  ['2000::/3', 'public'],
  ['::/0', 'reserved'],
];

/** Networks whose addresses contain an IPv4 address, and the offset of its four bytes. */
const CARRIERS: readonly (readonly [network: string, offset: number, flip?: number])[] = [
  ['::ffff:0:0/96', 12], // mapped
  ['::ffff:0:0:0/96', 12], // translated (SIIT)
  ['64:ff9b::/96', 12], // NAT64
  ['64:ff9b:1::/96', 12], // NAT64 within a site
  ['2002::/16', 2], // 6to4
  ['2001::/32', 12, 0xff], // Teredo, which inverts the bits
];

/**
 * Positions of the four IPv4 bytes for each length of a NAT64 prefix, from /32 to /96 (RFC 6052,
 * section 2.2).
 */
const NAT64_PLACES = [
  [4, 5, 6, 7],
  [5, 6, 7, 9],
  [6, 7, 9, 10],
  [7, 9, 10, 11],
  [9, 10, 11, 12],
  [12, 13, 14, 15],
] as const;

/** NAT64 within a site, with a prefix of any length (RFC 8215). */
const LOCAL_NAT64 = ipaddr.parseCIDR('64:ff9b:1::/48') as [ipaddr.IPv6, number];

const parsedRanges = (ranges: readonly Range[]) =>
  ranges.map(([network, kind]) => ({ network: ipaddr.parseCIDR(network), kind }));
const IPV4_TABLE = parsedRanges(IPV4_RANGES);
const IPV6_TABLE = parsedRanges(IPV6_RANGES);
const CARRIER_TABLE = CARRIERS.map(([network, offset, flip = 0]) => ({
  network: ipaddr.parseCIDR(network),
  offset,
  flip,
}));

/**
 * Parses an address. For an IPv6 address that contains an IPv4 address in a well-known form,
 * returns the IPv4 address.
 */
export function parseAddress(text: string): Address | undefined {
  if (!ipaddr.isValid(text)) return undefined;
  const address = ipaddr.parse(text);
  return address instanceof ipaddr.IPv6 ? (carriedIpv4(address) ?? address) : address;
}

function carriedIpv4(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  const bytes = address.toByteArray();
  if (isIpv4Compatible(bytes)) return new ipaddr.IPv4(bytes.slice(12));
  const carrier = CARRIER_TABLE.find(({ network }) => address.match(network));
  if (carrier === undefined) return undefined;
  const { offset, flip } = carrier;
  return new ipaddr.IPv4(bytes.slice(offset, offset + 4).map((byte) => byte ^ flip));
}

/**
 * Lists the addresses at which a connection could end up: the address itself, and any IPv4 address
 * to which a network along the path could translate it, as NAT64 does.
 * INVARIANT: we connect only if all targets are allowed. An embedded IPv4 address for cloud
 * metadata is a target after any NAT64 prefix, because it is unlikely to occur there by chance.
 * Other embedded IPv4 addresses are targets only in ISATAP and in local NAT64 addresses.
 */
export function possibleTargets(address: Address): readonly Address[] {
  if (address instanceof ipaddr.IPv4) return [address];
  const bytes = address.toByteArray();
  const places = NAT64_PLACES.map(
    (place) => new ipaddr.IPv4(place.map((index) => bytes[index] ?? 0)),
  );
  const nat64 = address.match(LOCAL_NAT64);
  // If bytes 8 to 11 are zero, the prefix is /96, so the IPv4 address can only be in the last four
  // bytes.
  const endsInIpv4 = isIsatap(bytes) || (nat64 && bytes.slice(8, 12).every((byte) => byte === 0));
  const carried = places.filter((each) => {
    const kind = classifyAddress(each);
    if (kind === 'cloud metadata') return true;
    if (endsInIpv4) return each === places.at(-1);
    // An embedded address in 0.0.0.0/8 shows that we assumed the wrong prefix length, so leave it
    // out.
    return nat64 && kind !== 'unspecified';
  });
  return [...carried, address];
}

/** True for the interface identifiers `0:5efe:a.b.c.d` and `200:5efe:a.b.c.d`. */
function isIsatap(bytes: readonly number[]): boolean {
  const [u, zero, five, efe] = bytes.slice(8, 12);
  return (u === 0 || u === 2) && zero === 0 && five === 0x5e && efe === 0xfe;
}

/** True for `::a.b.c.d`, except `::` and `::1`. */
function isIpv4Compatible(bytes: readonly number[]): boolean {
  return (
    bytes.slice(0, 12).every((byte) => byte === 0) && bytes.slice(12, 15).some((byte) => byte !== 0)
  );
}

export function classifyAddress(address: Address): AddressClass {
  const table = address instanceof ipaddr.IPv4 ? IPV4_TABLE : IPV6_TABLE;
  return table.find(({ network }) => inNetwork(address, network))?.kind ?? 'public';
}

export function sameAddress(a: Address, b: Address): boolean {
  return a.toNormalizedString() === b.toNormalizedString();
}
