import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Network = [Address, number];

const CLOUD_METADATA = [
  '169.254.169.254/32', // AWS, GCP, Azure, Oracle and most others
  '169.254.169.250/32', // Rancher
  '169.254.169.252/32', // GKE workload identity
  '169.254.170.2/32', // AWS ECS task credentials
  '169.254.170.23/32', // AWS EKS pod identity
  '169.254.0.23/32', // Tencent
  '169.254.10.10/32', // Tencent
  '169.254.42.42/32', // Scaleway
  '168.63.129.16/32', // Azure WireServer
  '100.100.100.200/32', // Alibaba
  '100.96.0.96/32', // Volcengine
  '100.80.80.80/32', // UCloud
  '192.0.0.192/32', // Oracle
  'fd00:ec2::/32', // AWS: instances, EKS pod identity, and future services
  'fd20:ce::254/128', // GCP
  'fd00:c1::a9fe:a9fe/128', // Oracle
  'fe80::a9fe:a9fe/128', // OpenStack, Hetzner, Akamai
  'fd00:a9fe:a9fe::1/128', // Akamai
  'fd00:42::42/128', // Scaleway
  'fd00:100::100:200/128', // Alibaba
].map((network) => ipaddr.parseCIDR(network));

/** The only IPv6 range from which IANA assigns public networks. */
const GLOBAL_UNICAST = [ipaddr.parseCIDR('2000::/3')];

/** Names for address ranges in messages, in place of the names that `ipaddr.js` uses. */
const NAMES: Readonly<Record<string, string>> = {
  unicast: 'public',
  linkLocal: 'link-local',
  uniqueLocal: 'unique local',
  carrierGradeNat: 'carrier-grade NAT',
  deprecatedSiteLocal: 'site-local',
};

/** IPv6 networks that embed an IPv4 address, with the IPv4 address's byte offset and XOR mask. */
const CARRIERS = (
  [
    ['::/96', 12], // compatible
    ['::ffff:0:0/96', 12], // mapped
    ['::ffff:0:0:0/96', 12], // translated (SIIT)
    ['64:ff9b::/96', 12], // NAT64
    ['64:ff9b:1::/96', 12], // NAT64 within a site
    ['2002::/16', 2], // 6to4
    ['2001::/32', 12, 0xff], // Teredo
  ] as const
).map(([network, offset, flip = 0]) => ({ network: ipaddr.parseCIDR(network), offset, flip }));

/** Indexes of the four IPv4 bytes for each NAT64 prefix length (RFC 6052, section 2.2). */
const NAT64_PLACES = [
  [4, 5, 6, 7],
  [5, 6, 7, 9],
  [6, 7, 9, 10],
  [7, 9, 10, 11],
  [9, 10, 11, 12],
  [12, 13, 14, 15],
] as const;

/** Parses an address. Turns an IPv6 address such as `::ffff:10.0.0.1` into IPv4 `10.0.0.1`. */
export function parseAddress(text: string): Address | undefined {
  if (!ipaddr.isValid(text)) return undefined;
  const address = ipaddr.parse(text);
  return address instanceof ipaddr.IPv6 ? (carriedIpv4(address) ?? address) : address;
}

function carriedIpv4(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  // `::1` and `::` look like IPv4-compatible addresses, but do not contain an IPv4 address.
  if (['loopback', 'unspecified'].includes(address.range())) return undefined;
  const carrier = CARRIERS.find(({ network }) => inNetworks(address, [network]));
  if (carrier === undefined) return undefined;
  const { offset, flip } = carrier;
  const bytes = address.toByteArray().slice(offset, offset + 4);
  return new ipaddr.IPv4(bytes.map((byte) => byte ^ flip));
}

/**
 * Returns an address and any IPv4 addresses embedded in it, because a NAT64 or similar gateway may
 * connect to an embedded address. Finds the IPv4 address in an ISATAP address. Also finds cloud
 * metadata addresses at the positions where NAT64 can embed an IPv4 address (RFC 6052).
 * INVARIANT: a host that resolves to `address` is refused if any returned address is refused.
 */
export function possibleTargets(address: Address): readonly Address[] {
  if (address instanceof ipaddr.IPv4) return [address];
  const bytes = address.toByteArray();
  const ipv4At = (place: readonly number[]) => new ipaddr.IPv4(place.map((at) => bytes[at] ?? 0));
  const metadata = NAT64_PLACES.map(ipv4At).filter((each) => inNetworks(each, CLOUD_METADATA));
  return [address, ...metadata, ...(isIsatap(bytes) ? [ipv4At([12, 13, 14, 15])] : [])];
}

/** Detects ISATAP addresses, which end in `0:5efe:a.b.c.d` or `200:5efe:a.b.c.d`. */
function isIsatap(bytes: readonly number[]): boolean {
  const [u, zero, five, efe] = bytes.slice(8, 12);
  return (u === 0 || u === 2) && zero === 0 && five === 0x5e && efe === 0xfe;
}

export function inNetworks(address: Address, networks: Network[]): boolean {
  return ipaddr.subnetMatch(address, { inside: networks }, 'outside') === 'inside';
}

/** Returns `public`, `cloud metadata`, or the name of a special range such as `loopback`. */
export function classifyAddress(address: Address): string {
  if (inNetworks(address, CLOUD_METADATA)) return 'cloud metadata';
  const range = address.range();
  const isUnassigned = address instanceof ipaddr.IPv6 && !inNetworks(address, GLOBAL_UNICAST);
  return range === 'unicast' && isUnassigned ? 'reserved' : (NAMES[range] ?? range);
}

/** Matches an IPv4 network of four decimal parts without leading zeros, or an IPv6 network. */
const CIDR = /^(?:(?:(?:0|[1-9]\d*)\.){3}(?:0|[1-9]\d*)|[\da-f:.]*:[\da-f:.]*)\/\d{1,3}$/i;

/** @throws {Error} with a list of the malformed CIDRs. */
export function parseNetworks(texts: readonly string[]): Network[] {
  const malformed = texts.filter((text) => !CIDR.test(text) || !ipaddr.isValidCIDR(text));
  if (malformed.length > 0) {
    const listed = malformed.map((text) => `\`${text}\``).join(', ');
    throw new Error(`${listed} is malformed; use CIDRs such as 10.0.0.0/8`);
  }
  return texts.map((text) => ipaddr.parseCIDR(text));
}
