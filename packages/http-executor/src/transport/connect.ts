import type { LookupAddress } from 'node:dns';
import net, { type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { buildConnector } from 'undici';
import { classifyAddress, parseAddress, readingsOf } from '../sandbox/address.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { type Stage, TransportError } from '../transport.ts';
import type { LookupLimits, Lookups, Resolve } from './lookups.ts';

export interface GuardedConnectOptions {
  /** How names are resolved, if not by the system. */
  readonly resolve?: Resolve;
  /** Those of the system's resolver by default, none for another. */
  readonly lookupLimits?: LookupLimits;
  /** Certificate authorities to trust in place of the system's, in PEM. */
  readonly ca?: string;
  /** The port on which this process itself listens, which is never a destination. */
  readonly ownPort?: () => number | undefined;
}

/** A request while a connection is made for it. */
export interface Dispatched {
  whenAbandoned: () => void;
  reached(stage: Stage): void;
}

let dispatched: Dispatched | undefined;

/**
 * Hands a request to undici by `dispatch`; a connection that is made meanwhile is made
 * for it. undici does not tell connectors for whom, and would leave a connection that is
 * still being made to itself after the request was given up. It calls them before
 * `dispatch` returns, so that no `AsyncLocalStorage` is needed, which every request would
 * pay for.
 */
export function connectingFor(request: Dispatched, dispatch: () => void): void {
  dispatched = request;
  try {
    dispatch();
  } finally {
    dispatched = undefined;
  }
}

/** Node gives an address 250 ms before it tries the next one; slow links need more. */
const ADDRESS_ATTEMPT_MS = 1_500;
const KEEP_ALIVE_PROBE_MS = 60_000;

/**
 * A connector that reaches only what the sandbox admits, judged at connect time in three
 * places: a literal host (for which Node never calls `lookup`), every answer of the
 * resolver, and the peer that was actually reached, before anything, TLS included, is
 * said to it.
 */
export function guardedConnect(
  sandbox: Sandbox,
  lookups: Lookups,
  { ca, ownPort = () => undefined }: GuardedConnectOptions,
): buildConnector.connector {
  // Without a timeout of its own: the deadline of the attempt aborts the request, and
  // that the connection.
  const startTls = buildConnector({
    allowH2: false,
    timeout: 0,
    ...(ca === undefined ? {} : { ca }),
  });

  return (options, callback) => {
    const secure = options.protocol === 'https:';
    const hostname = options.hostname.replace(/^\[|\]$/g, '');
    const port = Number(options.port || (secure ? 443 : 80));
    const faultAt = (address: string) =>
      faultOfDestination(sandbox, { hostname, address, port }, ownPort());

    const literal = net.isIP(hostname) === 0 ? undefined : faultAt(hostname);
    if (literal !== undefined) return callback(literal, null);
    const entry = entryOf(sandbox, new URL(`${options.protocol}//${options.host}`));
    const { lookup, leave } = guardedLookup(sandbox, lookups, entry);
    const socket = connectTcp({ host: hostname, port, lookup });
    const settle = settleOnce(socket, (...result) => {
      leave();
      callback(...result);
    });
    socket.once('error', (error) => settle(error, null));
    socket.once('connect', () => {
      // A peer that is gone already has no address: that is a broken connection and no
      // refusal.
      if (socket.remoteAddress === undefined) return settle(new Error('the peer is gone'), null);
      const peer = faultAt(socket.remoteAddress);
      if (peer !== undefined) settle(peer, null);
      else if (secure)
        startTls({ ...options, hostname, httpSocket: socket }, endingOnError(settle));
      else settle(null, socket);
    });
  };
}

/**
 * Node leaves a TLS connection open after an error on it, so that nobody would hear that
 * the exchange has failed.
 */
function endingOnError(settle: buildConnector.Callback): buildConnector.Callback {
  return (...result) => {
    const [, secured] = result;
    secured?.once('error', () => secured.destroy());
    settle(...result);
  };
}

/**
 * Which entry of the allowlist a URL belongs to; it was admitted, so that there is one.
 */
export function entryOf({ allowlist }: Sandbox, url: URL): string {
  return allowlist.entryFor(url) ?? url.host;
}

function connectTcp(target: { host: string; port: number; lookup: LookupFunction }): net.Socket {
  return net.connect({
    ...target,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
  });
}

/**
 * Calls back once; a failure, or giving the request up before that, destroys the socket.
 */
function settleOnce(
  socket: net.Socket,
  callback: buildConnector.Callback,
): buildConnector.Callback {
  const request = dispatched;
  let settled = false;
  const settle: buildConnector.Callback = (...result) => {
    if (settled) return;
    settled = true;
    if (result[0] !== null) socket.destroy();
    callback(...result);
  };
  if (request !== undefined)
    request.whenAbandoned = () => settle(new Error('the request was given up'), null);
  return settle;
}

/**
 * A `lookup` for `net.connect` that fails when any answer is refused, so that no order of
 * answers slips through.
 */
function guardedLookup(
  sandbox: Sandbox,
  lookups: Lookups,
  entry: string,
): { lookup: LookupFunction; leave(): void } {
  const request = dispatched;
  let leave = () => {};
  const lookup: LookupFunction = (hostname, options, callback) => {
    request?.reached('resolving');
    leave = lookups.find(hostname, entry, (error, addresses) => {
      request?.reached('connecting');
      const fault = error ?? faultOfAnswers(sandbox, hostname, addresses);
      const [first] = addresses ?? [];
      if (fault !== undefined || first === undefined) callback(fault ?? null, []);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
  return { lookup, leave: () => leave() };
}

/** Why these answers of the resolver may not be used. */
function faultOfAnswers(
  sandbox: Sandbox,
  hostname: string,
  addresses: readonly LookupAddress[],
): Error | undefined {
  if (addresses.length === 0) return Object.assign(new Error('no address'), { code: 'ENODATA' });
  return addresses
    .map(({ address }) => faultOf(sandbox, hostname, address))
    .find((each) => each !== undefined);
}

/** Why a host may not be reached at an address. */
function faultOf(sandbox: Sandbox, hostname: string, address: string): TransportError | undefined {
  const host = bracketed(hostname);
  const verdict = sandbox.mayReach(host, address);
  return verdict.ok
    ? undefined
    : new TransportError('address', `The host \`${host}\` is refused: ${verdict.why}.`);
}

/**
 * Why this process may not connect there: the sandbox refuses the address, or it is this
 * process itself.
 */
export function faultOfDestination(
  sandbox: Sandbox,
  { hostname, address, port }: { hostname: string; address: string; port: number },
  ownPort: number | undefined,
): TransportError | undefined {
  const fault = faultOf(sandbox, hostname, address);
  return fault ?? (isSelf(address, port, ownPort) ? selfFault(hostname) : undefined);
}

/**
 * Whether an address and port are where this process listens; on a wildcard address it
 * listens on all of its own.
 */
function isSelf(text: string, port: number, ownPort: number | undefined): boolean {
  const address = parseAddress(text);
  if (port !== ownPort || address === undefined) return false;
  return readingsOf(address).some((each) => {
    const kind = classifyAddress(each);
    return kind === 'loopback' || kind === 'unspecified' || ownAddresses().has(each.toString());
  });
}

function ownAddresses(): Set<string | undefined> {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return new Set(all.map(({ address }) => parseAddress(address)?.toString()));
}

function selfFault(hostname: string): TransportError {
  return new TransportError(
    'address',
    `The host \`${bracketed(hostname)}\` is refused: it is this executor itself, which no setting opens.`,
  );
}

/** A literal IPv6 host as URLs write it. */
function bracketed(hostname: string): string {
  return net.isIPv6(hostname) ? `[${hostname}]` : hostname;
}
