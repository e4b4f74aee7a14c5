import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Network = [Address, number];

export function inNetworks(address: Address, networks: Network[]): boolean {
  return ipaddr.subnetMatch(address, { inside: networks }, 'outside') === 'inside';
}

/** Matches an IPv4 network of four decimal parts without leading zeros, or an IPv6 network. */
const CIDR = /^(?:(?:(?:0|[1-9]\d*)\.){3}(?:0|[1-9]\d*)|[\da-f:.]*:[\da-f:.]*)\/\d{1,3}$/i;

/** @throws {Error} that lists the malformed CIDRs. */
export function parseNetworks(texts: readonly string[]): Network[] {
  const malformed = texts.filter((text) => !CIDR.test(text) || !ipaddr.isValidCIDR(text));
  if (malformed.length > 0) {
    const listed = malformed.map((text) => `\`${text}\``).join(', ');
    throw new Error(`${listed} is malformed; use CIDRs such as 10.0.0.0/8`);
  }
  return texts.map((text) => ipaddr.parseCIDR(text));
}
