import dns, { type LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { portOf, withoutBrackets } from '@gatehouse/contracts/action';
import { isOfThisMachine, parseAddress } from '../addresses/address.ts';
import type { MayReach } from '../addresses/address-rules.ts';
import { TransportError } from '../wire.ts';

/** Resolves a host name. Rejects with an error that has a `code`, such as `ENOTFOUND`. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

const systemResolve: Resolve = (hostname) => dns.promises.lookup(hostname, { all: true });

export interface AddressGuardOptions {
  readonly resolve?: Resolve;
  /** Port on which this process listens. Requests that would reach this process are refused. */
  readonly ownPort?: () => number | undefined;
}

/** Resolves host names, and refuses addresses that the sandbox does not allow. */
export class AddressGuard {
  readonly #mayReach: MayReach;
  readonly #resolve: Resolve;
  readonly #ownPort: () => number | undefined;

  constructor(mayReach: MayReach, { resolve = systemResolve, ownPort }: AddressGuardOptions) {
    this.#mayReach = mayReach;
    this.#resolve = resolve;
    this.#ownPort = ownPort ?? (() => undefined);
  }

  /** Returns an error if the sandbox refuses the address or the URL points back to this process. */
  faultOf(url: URL, address: string): TransportError | undefined {
    const verdict = this.#mayReach(url.hostname, address);
    const refused = (reason: string) =>
      new TransportError('address', `The host \`${url.hostname}\` is refused: ${reason}.`);
    if (!verdict.ok) return refused(verdict.reason);
    if (portOf(url) !== this.#ownPort() || !isOwnAddress(address)) return undefined;
    return refused('the URL leads back to this executor itself, and no setting can allow this');
  }

  /**
   * Resolves a name and checks all its addresses, or checks a literal address.
   * @throws {TransportError} if at least one address is not allowed. DNS errors are thrown as is.
   */
  async resolve(url: URL): Promise<LookupAddress[]> {
    const hostname = withoutBrackets(url.hostname);
    const family = isIP(hostname);
    const answers = family === 0 ? await this.#resolve(hostname) : [{ address: hostname, family }];
    if (answers.length === 0) throw Object.assign(new Error('no address'), { code: 'ENODATA' });
    // Refuse a host if any of its addresses is refused, because Node may connect to any of them.
    const faults = answers.flatMap(({ address }) => this.faultOf(url, address) ?? []);
    if (faults.length > 0) throw faults[0];
    return answers;
  }
}

/** True if the address belongs to this machine: a connection to it could reach this process. */
function isOwnAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined) return false;
  const own = Object.values(networkInterfaces()).flatMap((list) =>
    (list ?? []).map((each) => parseAddress(each.address)?.toString()),
  );
  return isOfThisMachine(address) || own.includes(address.toString());
}
