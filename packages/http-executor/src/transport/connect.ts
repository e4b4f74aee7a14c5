import type { LookupAddress } from 'node:dns';
import net, { type LookupFunction } from 'node:net';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { buildConnector } from 'undici';
import { portOf, withoutBrackets } from '../sandbox/host.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { TransportError } from '../transport.ts';
import { faultOfEndpoint } from './address-guard.ts';
import { ABORTED, toTransportError } from './faults.ts';
import type { Lookups, Resolve } from './lookups.ts';

export interface GuardedConnectOptions {
  /** How names are resolved, if not by the system. */
  readonly resolve?: Resolve;
  /** Certificate authorities in PEM, to trust besides those that Node trusts. */
  readonly ca?: string | undefined;
  /** The port on which this process itself listens, which is never a destination. */
  readonly ownPort?: () => number | undefined;
}

/** Node gives an address 250 ms before it tries the next one; slow links need more. */
const ADDRESS_ATTEMPT_MS = 1_500;
const KEEP_ALIVE_PROBE_MS = 60_000;

/** Reports that a connection is resolving its name or connecting to an address. */
type OnStage = (stage: 'resolving' | 'connecting') => void;

/**
 * Connects only to what the sandbox admits, checked at connect time in three places: a
 * literal host (for which Node never calls `lookup`), every answer of the resolver, and
 * the connected peer before anything, TLS included, is sent to it.
 */
export class GuardedConnector {
  readonly #sandbox: Sandbox;
  readonly #lookups: Lookups;
  readonly #ownPort: () => number | undefined;
  readonly #startTls: buildConnector.connector;

  constructor(
    sandbox: Sandbox,
    lookups: Lookups,
    { ca, ownPort = () => undefined }: GuardedConnectOptions,
  ) {
    this.#sandbox = sandbox;
    this.#lookups = lookups;
    this.#ownPort = ownPort;
    // No timeout: the deadline of the attempt aborts the request and its connection.
    const trust = ca === undefined ? {} : { secureContext: trustingAlso(ca) };
    this.#startTls = buildConnector({ allowH2: false, timeout: 0, ...trust });
  }

  /** Calls back once, with a socket for undici or an error; returns a function that gives up. */
  connect(
    options: buildConnector.Options,
    onStage: OnStage,
    callback: buildConnector.Callback,
  ): () => void {
    const url = new URL(`${options.protocol}//${options.host}`);
    const hostname = withoutBrackets(options.hostname);
    const port = portOf(url);
    const faultAt = this.#guardOf(hostname, port);

    const literal = net.isIP(hostname) === 0 ? undefined : faultAt(hostname);
    if (literal !== undefined) {
      callback(literal, null);
      return () => {};
    }
    const { lookup, leave } = this.#guardedLookup(entryOf(this.#sandbox, url), faultAt, onStage);
    const socket = connectTcp({ host: hostname, port, lookup });
    const settle = settleOnce(socket, (...result) => {
      leave();
      callback(...result);
    });
    socket.once('error', (error) => settle(error, null));
    socket.once('connect', () => {
      // Without an address the peer is gone again: a broken connection, not a refusal.
      if (socket.remoteAddress === undefined) return settle(new Error('the peer is gone'), null);
      const peer = faultAt(socket.remoteAddress);
      if (peer !== undefined) settle(peer, null);
      else if (url.protocol === 'http:') settle(null, socket);
      else this.#startTls({ ...options, hostname, httpSocket: socket }, endingOnError(settle));
    });
    return () => settle(ABORTED, null);
  }

  /** Resolves and checks as a connection would. @throws {TransportError} */
  async preview(url: URL, signal: AbortSignal): Promise<string[]> {
    const hostname = withoutBrackets(url.hostname);
    try {
      const isLiteral = net.isIP(hostname) !== 0;
      const addresses = isLiteral ? [hostname] : await this.#lookUp(hostname, url, signal);
      const fault = faultOfAnswers(addresses, this.#guardOf(hostname, portOf(url)));
      if (fault !== undefined) throw fault;
      return addresses;
    } catch (error) {
      throw toTransportError(error, url, 'connecting');
    }
  }

  #lookUp(hostname: string, url: URL, signal: AbortSignal): Promise<string[]> {
    return new Promise((resolve, reject) => {
      const leave = this.#lookups.find(hostname, entryOf(this.#sandbox, url), (error, answers) => {
        if (error === null) resolve(addressesOf(answers));
        else reject(error);
      });
      signal.addEventListener('abort', leave);
    });
  }

  #guardOf(hostname: string, port: number): FaultAt {
    return (address) =>
      faultOfEndpoint(this.#sandbox, { hostname, address, port }, this.#ownPort());
  }

  #guardedLookup(
    entry: string,
    faultAt: FaultAt,
    onStage: OnStage,
  ): { lookup: LookupFunction; leave(): void } {
    let leave = () => {};
    const lookup: LookupFunction = (hostname, options, callback) => {
      onStage('resolving');
      leave = this.#lookups.find(hostname, entry, (error, answers) => {
        onStage('connecting');
        const fault = error ?? faultOfAnswers(addressesOf(answers), faultAt);
        const [first] = answers ?? [];
        if (fault !== undefined || first === undefined) callback(fault ?? null, []);
        else if (options.all) callback(null, answers);
        else callback(null, first.address, first.family);
      });
    };
    return { lookup, leave: () => leave() };
  }
}

/** Why this process may not connect to an address. */
type FaultAt = (address: string) => TransportError | undefined;

/**
 * Why a name may not be reached: it has no address, or any of them is refused, so that the order
 * of the answers does not matter.
 */
function faultOfAnswers(addresses: readonly string[], faultAt: FaultAt): Error | undefined {
  if (addresses.length === 0) return Object.assign(new Error('no address'), { code: 'ENODATA' });
  return addresses.map(faultAt).find((fault) => fault !== undefined);
}

const addressesOf = (answers: readonly LookupAddress[]) => answers.map(({ address }) => address);

/** Made once: it takes Node some 50 ms to read its own authorities. */
function trustingAlso(ca: string): SecureContext {
  return createSecureContext({ ca: [...getCACertificates('default'), ca] });
}

/** Calls back once; a failure before that destroys the socket. */
function settleOnce(
  socket: net.Socket,
  callback: buildConnector.Callback,
): buildConnector.Callback {
  let settled = false;
  return (...result) => {
    if (settled) return;
    settled = true;
    if (result[0] !== null) socket.destroy();
    callback(...result);
  };
}

/** Node leaves a TLS socket open after an error on it, and nobody would hear of it. */
function endingOnError(settle: buildConnector.Callback): buildConnector.Callback {
  return (...result) => {
    const [, secured] = result;
    secured?.once('error', () => secured.destroy());
    settle(...result);
  };
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

/** The allowlist's entry for a URL that it admits. */
function entryOf({ allowlist }: Sandbox, url: URL): string {
  return allowlist.entryFor(url) ?? url.host;
}
