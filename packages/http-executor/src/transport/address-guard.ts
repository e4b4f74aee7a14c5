import type { LookupAddress } from 'node:dns';
import net from 'node:net';
import { networkInterfaces } from 'node:os';
import { findHost, portOf, withoutBrackets } from '@gatehouse/destinations';
import { classifyAddress, parseAddress, possibleTargets } from '../sandbox/address.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { type Stage, TransportError } from '../transport.ts';
import { ABORTED } from './faults.ts';
import { Lookups, type Resolve, systemResolve } from './lookups.ts';

export interface AddressGuardOptions {
  readonly resolve?: Resolve;
  /** Port on which this process listens. Requests that would reach this process are refused. */
  readonly ownPort?: () => number | undefined;
}

export type OnStage = (stage: Exclude<Stage, 'sending'>) => void;

/** Resolves host names, and refuses addresses that the sandbox does not allow. */
export class AddressGuard {
  readonly #sandbox: Sandbox;
  readonly #lookups: Lookups;
  readonly #ownPort: () => number | undefined;

  constructor(sandbox: Sandbox, { resolve = systemResolve, ownPort }: AddressGuardOptions) {
    this.#sandbox = sandbox;
    this.#lookups = new Lookups(resolve);
    this.#ownPort = ownPort ?? (() => undefined);
  }

  /** Returns an error if the sandbox refuses the address or the URL points back to this process. */
  faultOf(url: URL, address: string): TransportError | undefined {
    const verdict = this.#sandbox.mayReach(url.hostname, address);
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
  async resolve(url: URL, onStage: OnStage, signal: AbortSignal): Promise<LookupAddress[]> {
    const hostname = withoutBrackets(url.hostname);
    const family = net.isIP(hostname);
    let answers = [{ address: hostname, family }];
    if (family === 0) {
      onStage('resolving');
      answers = await this.#lookUp(hostname, url, signal).finally(() => onStage('connecting'));
    }
    if (answers.length === 0) throw Object.assign(new Error('no address'), { code: 'ENODATA' });
    // Refuse a host if any of its addresses is refused, because Node may connect to any of them.
    const faults = answers.flatMap(({ address }) => this.faultOf(url, address) ?? []);
    if (faults.length > 0) throw faults[0];
    return answers;
  }

  #lookUp(hostname: string, url: URL, signal: AbortSignal): Promise<LookupAddress[]> {
    return new Promise((resolve, reject) => {
      const entry = findHost(this.#sandbox.upstreams.destinations, url) ?? url.host;
      const leave = this.#lookups.find(hostname, entry, (error, answers) => {
        if (error === null) resolve(answers);
        else reject(error);
      });
      signal.addEventListener('abort', () => {
        leave();
        reject(ABORTED);
      });
    });
  }
}

/** True if the address belongs to this machine: a connection to it could reach this process. */
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
