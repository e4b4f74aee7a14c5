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

/** Texts for messages by kind of address. Each completes "the address is …". */
export const CLASS_TEXTS = {
  public: 'public',
  not_public: 'not public',
  embedded_ipv4: 'one with an embedded IPv4 address',
  cloud_metadata: 'a cloud metadata address',
} as const;

/** A host name may resolve to `public` addresses without any setting. */
type AddressClass = keyof typeof CLASS_TEXTS;

/** IPv6 networks whose addresses are equivalent to the IPv4 address in their last four bytes. */
const IPV4_SUFFIX = [
  '::ffff:0:0/96', // mapped
  '64:ff9b::/96', // NAT64, which DNS64 uses in IPv6-only networks
].map((network) => ipaddr.parseCIDR(network));

/** Other IPv6 networks from which a gateway may forward to an embedded IPv4 address. */
const EMBEDDED_IPV4 = [
  '::/96', // compatible
  '::ffff:0:0:0/96', // translated (SIIT)
  '64:ff9b:1::/48', // NAT64 within a site
  '2002::/16', // 6to4
  '2001::/32', // Teredo
].map((network) => ipaddr.parseCIDR(network));

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
  if (!inNetworks(address, IPV4_SUFFIX)) return address;
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}

export function inNetworks(address: Address, networks: Network[]): boolean {
  return ipaddr.subnetMatch(address, { inside: networks }, 'outside') === 'inside';
}

/**
 * Returns the first class that applies:
 * 1. `cloud_metadata`, also for IPv6 addresses that any NAT64 gateway could translate to one;
 * 2. `public` or `not_public` for an IPv4 address, `::` or `::1`;
 * 3. `embedded_ipv4`, because a gateway could forward to the IPv4 address;
 * 4. `public` or `not_public` for any other IPv6 address.
 */
export function classifyAddress(address: Address): AddressClass {
  if (isMetadata(address)) return 'cloud_metadata';
  if (isOfThisMachine(address)) return 'not_public';
  const isUnicast = address.range() === 'unicast';
  if (address instanceof ipaddr.IPv4) return isUnicast ? 'public' : 'not_public';

  if (inNetworks(address, EMBEDDED_IPV4) || isIsatap(address)) return 'embedded_ipv4';
  return isUnicast && inNetworks(address, GLOBAL_UNICAST) ? 'public' : 'not_public';
}

/** True for a loopback address, and for an unspecified one, which the system takes for loopback. */
export const isOfThisMachine = (address: Address): boolean =>
  ['loopback', 'unspecified'].includes(address.range());

function isMetadata(address: Address): boolean {
  if (inNetworks(address, CLOUD_METADATA)) return true;
  if (address instanceof ipaddr.IPv4) return false;
  const bytes = address.toByteArray();
  return NAT64_PLACES.some((place) => {
    const embedded = new ipaddr.IPv4(place.map((at) => bytes[at] ?? 0));
    return inNetworks(embedded, CLOUD_METADATA);
  });
}

/** Detects ISATAP addresses, which end in `0:5efe:a.b.c.d` or `200:5efe:a.b.c.d`. */
function isIsatap(address: ipaddr.IPv6): boolean {
  const [u, zero, five, efe] = address.toByteArray().slice(8, 12);
  return (u === 0 || u === 2) && zero === 0 && five === 0x5e && efe === 0xfe;
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
