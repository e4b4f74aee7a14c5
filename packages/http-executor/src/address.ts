import ipaddr from 'ipaddr.js';

/** What an address is for. Only `public` ones may be reached by any allowlisted name. */
export type AddressClass =
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

/** The first range that holds an IPv4 address tells its class; none: public. */
const IPV4_RANGES: readonly Range[] = [
  ['169.254.169.254/32', 'cloud metadata'], // AWS, GCP, Azure, Oracle and most others
  ['169.254.170.2/32', 'cloud metadata'], // AWS ECS task credentials
  ['169.254.170.23/32', 'cloud metadata'], // AWS EKS pod identity
  ['168.63.129.16/32', 'cloud metadata'], // Azure WireServer
  ['100.100.100.200/32', 'cloud metadata'], // Alibaba
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

/** The same for IPv6, where what is outside 2000::/3 is reserved. */
const IPV6_RANGES: readonly Range[] = [
  ['fd00:ec2::254/128', 'cloud metadata'], // AWS
  ['fd20:ce::254/128', 'cloud metadata'], // GCP
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

/** Where an IPv6 address carries an IPv4 one: the network, and the offset of its four bytes. */
const CARRIERS: readonly (readonly [network: string, offset: number, flip?: number])[] = [
  ['::ffff:0:0/96', 12], // mapped
  ['::ffff:0:0:0/96', 12], // translated (SIIT)
  ['64:ff9b::/96', 12], // NAT64
  ['64:ff9b:1::/96', 12], // NAT64, local use
  ['2002::/16', 2], // 6to4
  ['2001::/32', 12, 0xff], // Teredo, which inverts the bits
];

/** Local NAT64 at large: where in it an IPv4 address lies is up to the operator (RFC 6052 section 2.2). */
const LOCAL_NAT64 = ipaddr.parseCIDR('64:ff9b:1::/48') as [ipaddr.IPv6, number];

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Network = readonly [Address, number];

const parsedRanges = (ranges: readonly Range[]) =>
  ranges.map(([network, kind]) => ({ network: ipaddr.parseCIDR(network), kind }));
const IPV4_TABLE = parsedRanges(IPV4_RANGES);
const IPV6_TABLE = parsedRanges(IPV6_RANGES);
const CARRIER_TABLE = CARRIERS.map(([network, offset, flip = 0]) => ({
  network: ipaddr.parseCIDR(network),
  offset,
  flip,
}));

/** Reads a textual address; an IPv4 address carried inside an IPv6 one is what counts, and is what comes back. */
export function parseAddress(text: string): Address | undefined {
  if (!ipaddr.isValid(text)) return undefined;
  const address = ipaddr.parse(text);
  return address instanceof ipaddr.IPv6 ? (carriedIpv4(address) ?? address) : address;
}

function carriedIpv4(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  const bytes = address.toByteArray();
  const carrier = CARRIER_TABLE.find(({ network }) => address.match(network));
  if (carrier !== undefined) {
    const { offset, flip } = carrier;
    return new ipaddr.IPv4(bytes.slice(offset, offset + 4).map((byte) => byte ^ flip));
  }
  const inner = new ipaddr.IPv4(bytes.slice(12));
  if (isIpv4Compatible(bytes)) return inner;
  const ambiguous = isIsatap(bytes) || address.match(LOCAL_NAT64);
  // INVARIANT: where these bytes may mean nothing, they refuse an address, but open none that its network refuses.
  return ambiguous && classifyAddress(inner) !== 'public' ? inner : undefined;
}

/** An interface identifier of `[02]00:5efe` before the IPv4 address, in any network. */
function isIsatap(bytes: readonly number[]): boolean {
  const [u, zero, five, efe] = bytes.slice(8, 12);
  return (u === 0 || u === 2) && zero === 0 && five === 0x5e && efe === 0xfe;
}

/** `::a.b.c.d`, other than `::` and `::1`. */
function isIpv4Compatible(bytes: readonly number[]): boolean {
  return bytes.slice(0, 12).every((byte) => byte === 0) && bytes.slice(12, 15).some((byte) => byte !== 0);
}

/** What an address is for, judged on its bytes. */
export function classifyAddress(address: Address): AddressClass {
  const table = address instanceof ipaddr.IPv4 ? IPV4_TABLE : IPV6_TABLE;
  return table.find(({ network }) => inNetwork(address, network))?.kind ?? 'public';
}

export function inNetwork(address: Address, network: Network): boolean {
  const [base, bits] = network;
  if (address instanceof ipaddr.IPv4) return base instanceof ipaddr.IPv4 && address.match(base, bits);
  return base instanceof ipaddr.IPv6 && address.match(base, bits);
}

export function sameAddress(a: Address, b: Address): boolean {
  return a.toNormalizedString() === b.toNormalizedString();
}

/** IPv4 in four decimal parts, none of which could be read as octal, or IPv6. */
const CIDR = /^(?:(?:(?:0|[1-9]\d*)\.){3}(?:0|[1-9]\d*)|[\da-f:.]*:[\da-f:.]*)\/\d{1,3}$/i;

/** Reads CIDRs such as `10.0.0.0/8` or `fd00::/8`; throws an error that names each malformed one. */
export function parseNetworks(texts: readonly string[]): Network[] {
  const malformed = texts.filter((text) => !CIDR.test(text) || !ipaddr.isValidCIDR(text));
  if (malformed.length > 0) {
    throw new Error(`${malformed.map((text) => `\`${text}\``).join(', ')} is malformed; use CIDRs such as 10.0.0.0/8`);
  }
  return texts.map((text) => ipaddr.parseCIDR(text));
}
