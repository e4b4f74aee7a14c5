import dns, { type LookupAddress } from 'node:dns';
import net, { type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import type { Sandbox } from '../sandbox.ts';
import { TransportError } from '../transport.ts';

/** How names are resolved: the shape of `dns.lookup` with `all: true`. */
export type Resolve = (
  hostname: string,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface GuardedConnectOptions {
  readonly resolve?: Resolve;
  /** Certificate authorities to trust in place of the system's, in PEM. */
  readonly ca?: string;
}

/** Node gives an address 250 ms before it tries the next one; slow links need more. */
const ADDRESS_ATTEMPT_MS = 1_500;

const systemResolve: Resolve = (hostname, callback) => dns.lookup(hostname, { all: true }, callback);

/**
 * A connector that reaches only what the sandbox admits, judged at connect time in three places: a literal host
 * (for which Node never calls `lookup`), every answer of the resolver, and the peer that was actually reached,
 * before anything, TLS included, is said to it.
 */
export function guardedConnect(
  sandbox: Sandbox,
  { resolve = systemResolve, ca }: GuardedConnectOptions,
): buildConnector.connector {
  const common = { allowH2: false, timeout: 0, ...(ca === undefined ? {} : { ca }) };
  const connectTcp = buildConnector({
    ...common,
    lookup: guardedLookup(sandbox, resolve),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
  });
  const connectTls = buildConnector(common);

  return (options, callback) => {
    const hostname = options.hostname.replace(/^\[|\]$/g, '');
    const host = bracketed(hostname);
    const literal = net.isIP(hostname) === 0 ? undefined : refusal(sandbox, host, hostname);
    if (literal !== undefined) return callback(literal, null);

    const secure = options.protocol === 'https:';
    const { servername: _, ...plain } = options;
    const target = { ...plain, hostname, protocol: 'http:', port: options.port || (secure ? '443' : '80') };
    connectTcp(target, (error, socket) => {
      if (error !== null) return callback(error, null);
      const peer = refusal(sandbox, host, socket.remoteAddress ?? '');
      if (peer !== undefined) {
        socket.destroy();
        return callback(peer, null);
      }
      if (!secure) return callback(null, socket);
      connectTls({ ...options, hostname, httpSocket: socket }, callback);
    });
  };
}

/** A `lookup` for `net.connect` that fails when any answer is refused, so that no order of answers slips through. */
function guardedLookup(sandbox: Sandbox, resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, (error, addresses) => {
      const fault = error ?? faultOfAnswers(sandbox, hostname, addresses);
      const [first] = addresses ?? [];
      if (fault !== undefined || first === undefined) callback(fault ?? null, []);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function faultOfAnswers(sandbox: Sandbox, hostname: string, addresses: readonly LookupAddress[]): Error | undefined {
  if (addresses.length === 0) return Object.assign(new Error('no address'), { code: 'ENODATA' });
  return addresses.map(({ address }) => refusal(sandbox, hostname, address)).find((each) => each !== undefined);
}

function refusal(sandbox: Sandbox, hostname: string, address: string): TransportError | undefined {
  const verdict = sandbox.mayReach(hostname, address);
  return verdict.ok ? undefined : new TransportError('address', `The host \`${hostname}\` is refused: ${verdict.why}.`);
}

/** A literal IPv6 host as URLs write it. */
function bracketed(hostname: string): string {
  return net.isIPv6(hostname) ? `[${hostname}]` : hostname;
}
