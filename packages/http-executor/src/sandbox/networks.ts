import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Network = readonly [Address, number];

export function inNetwork(address: Address, [base, bits]: Network): boolean {
  if (address instanceof ipaddr.IPv4)
    return base instanceof ipaddr.IPv4 && address.match(base, bits);
  return base instanceof ipaddr.IPv6 && address.match(base, bits);
}

/** Matches an IPv4 network of four decimal parts without leading zeros, or an IPv6 network. */
const CIDR = /^(?:(?:(?:0|[1-9]\d*)\.){3}(?:0|[1-9]\d*)|[\da-f:.]*:[\da-f:.]*)\/\d{1,3}$/i;

/**
 * @throws {Error} that lists the malformed CIDRs.
 */
export function parseNetworks(texts: readonly string[]): Network[] {
  const isWellFormed = (text: string) => CIDR.test(text) && ipaddr.isValidCIDR(text);
  throwIfMalformed(texts, isWellFormed, 'use CIDRs such as 10.0.0.0/8');
  return texts.map((text) => ipaddr.parseCIDR(text));
}

function throwIfMalformed(
  texts: readonly string[],
  isWellFormed: (text: string) => boolean,
  advice: string,
): void {
  const malformed = texts.filter((text) => !isWellFormed(text)).map((text) => `\`${text}\``);
  if (malformed.length > 0) throw new Error(`${malformed.join(', ')} is malformed; ${advice}`);
}
