import { networkInterfaces } from 'node:os';
import { portOf } from '@gatehouse/destinations';
import { classifyAddress, parseAddress, possibleTargets } from '../sandbox/address.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { TransportError } from '../transport.ts';

/** Returns an error if the sandbox refuses the address, or if the URL leads to this process. */
export function addressFault(
  sandbox: Sandbox,
  url: URL,
  address: string,
  ownPort: number | undefined,
): TransportError | undefined {
  const verdict = sandbox.mayReach(url.hostname, address);
  const refused = (reason: string) =>
    new TransportError('address', `The host \`${url.hostname}\` is refused: ${reason}.`);
  if (!verdict.ok) return refused(verdict.reason);
  if (portOf(url) !== ownPort || !isOwnAddress(address)) return undefined;
  return refused('the URL leads to this executor itself, which no setting allows');
}

/** True if an address leads to this machine, where this process may listen on every address. */
function isOwnAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined) return false;
  const own = Object.values(networkInterfaces()).flatMap((list) =>
    (list ?? []).map((each) => parseAddress(each.address)?.toString()),
  );
  return possibleTargets(address).some(
    (each) =>
      ['loopback', 'unspecified'].includes(classifyAddress(each)) || own.includes(each.toString()),
  );
}
