import { networkInterfaces } from 'node:os';
import { classifyAddress, meaningsOf, parseAddress } from '../sandbox/address.ts';
import { withBrackets } from '../sandbox/host.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { TransportError } from '../transport.ts';

/**
 * Why this process may not connect there: the sandbox refuses, or it is this process. A
 * literal IPv6 host has no brackets.
 */
export function faultOfEndpoint(
  sandbox: Sandbox,
  { hostname, address, port }: { hostname: string; address: string; port: number },
  ownPort: number | undefined,
): TransportError | undefined {
  const verdict = sandbox.mayReach(withBrackets(hostname), address);
  if (!verdict.ok) return refusedHost(hostname, verdict.reason);
  if (port !== ownPort || !isOwnAddress(address)) return undefined;
  return refusedHost(hostname, 'it is this executor itself, which no setting opens');
}

function refusedHost(hostname: string, reason: string): TransportError {
  return new TransportError(
    'address',
    `The host \`${withBrackets(hostname)}\` is refused: ${reason}.`,
  );
}

/** A wildcard address listens on all addresses of its own. */
function isOwnAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined) return false;
  return meaningsOf(address).some((each) => {
    const kind = classifyAddress(each);
    return kind === 'loopback' || kind === 'unspecified' || ownAddresses().has(each.toString());
  });
}

function ownAddresses(): Set<string | undefined> {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return new Set(all.map(({ address }) => parseAddress(address)?.toString()));
}
