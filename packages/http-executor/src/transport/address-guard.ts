import { networkInterfaces } from 'node:os';
import { withBrackets } from '@gatehouse/destinations';
import { classifyAddress, parseAddress, possibleTargets } from '../sandbox/address.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { TransportError } from '../transport.ts';

/**
 * Returns a fault if the sandbox refuses the address, or if this process itself listens there. An
 * IPv6 `hostname` has no brackets.
 */
export function addressFault(
  sandbox: Sandbox,
  { hostname, address, port }: { hostname: string; address: string; port: number },
  ownPort: number | undefined,
): TransportError | undefined {
  const verdict = sandbox.mayReach(withBrackets(hostname), address);
  if (!verdict.ok) return refusedHost(hostname, verdict.reason);
  if (port !== ownPort || !isOwnAddress(address)) return undefined;
  return refusedHost(hostname, 'it leads to this executor itself, which no setting allows');
}

function refusedHost(hostname: string, reason: string): TransportError {
  return new TransportError(
    'address',
    `The host \`${withBrackets(hostname)}\` is refused: ${reason}.`,
  );
}

/** True for every address of this machine, because this process may listen on all of them. */
function isOwnAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined) return false;
  return possibleTargets(address).some((each) => {
    const kind = classifyAddress(each);
    return kind === 'loopback' || kind === 'unspecified' || ownAddresses().has(each.toString());
  });
}

function ownAddresses(): Set<string | undefined> {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return new Set(all.map(({ address }) => parseAddress(address)?.toString()));
}
