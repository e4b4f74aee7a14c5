import type { LookupAddress } from 'node:dns';
import net, { type LookupFunction } from 'node:net';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { buildConnector } from 'undici';
import { portOf, withoutBrackets } from '../sandbox/host.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { TransportError } from '../transport.ts';
import { addressFault } from './address-guard.ts';
import { ABORTED, toTransportError } from './faults.ts';
import type { Lookups, Resolve } from './lookups.ts';

export interface GuardedConnectOptions {
  readonly resolve?: Resolve;
  /** PEM of certificate authorities to trust in addition to those that Node trusts. */
  readonly ca?: string | undefined;
  /** Port on which this process itself listens, which is never a destination. */
  readonly ownPort?: () => number | undefined;
}

/** Time for an address before the next one is tried. The 250 ms of Node are too short. */
const ADDRESS_ATTEMPT_MS = 1_500;
const KEEP_ALIVE_PROBE_MS = 60_000;

type OnStage = (stage: 'resolving' | 'connecting') => void;

/**
 * Connects only to addresses that the sandbox admits. It checks literal hosts, for which Node does
 * not call `lookup`, all answers of the resolver, and the connected peer before anything, TLS
 * included, is sent to it.
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
    // No timeout, because the attempt's deadline closes the connection.
    const trust = ca === undefined ? {} : { secureContext: trustingAlso(ca) };
    this.#startTls = buildConnector({ allowH2: false, timeout: 0, ...trust });
  }

  /** Calls back once, with a socket or an error. Returns a function that gives up. */
  connect(
    options: buildConnector.Options,
    onStage: OnStage,
    callback: buildConnector.Callback,
  ): () => void {
    const url = new URL(`${options.protocol}//${options.host}`);
    const hostname = withoutBrackets(options.hostname);
    const port = portOf(url);
    const faultAt = this.#guardFor(hostname, port);

    const literal = net.isIP(hostname) === 0 ? undefined : faultAt(hostname);
    if (literal !== undefined) {
      callback(literal, null);
      return () => {};
    }
    const { lookup, leave } = this.#guardedLookup(
      allowlistEntry(this.#sandbox, url),
      faultAt,
      onStage,
    );
    const socket = connectTcp({ host: hostname, port, lookup });
    const settle = settleOnce(socket, (...result) => {
      leave();
      callback(...result);
    });
    socket.once('error', (error) => settle(error, null));
    socket.once('connect', () => {
      // No remote address means that the peer has already disconnected, which is not a refusal.
      if (socket.remoteAddress === undefined) return settle(new Error('the peer is gone'), null);
      const peer = faultAt(socket.remoteAddress);
      if (peer !== undefined) settle(peer, null);
      else if (url.protocol === 'http:') settle(null, socket);
      else this.#startTls({ ...options, hostname, httpSocket: socket }, destroyOnError(settle));
    });
    return () => settle(ABORTED, null);
  }

  /** Resolves and checks as a connection would. @throws {TransportError} */
  async preview(url: URL, signal: AbortSignal): Promise<string[]> {
    const hostname = withoutBrackets(url.hostname);
    try {
      const isLiteral = net.isIP(hostname) !== 0;
      const addresses = isLiteral ? [hostname] : await this.#lookUp(hostname, url, signal);
      const fault = answersFault(addresses, this.#guardFor(hostname, portOf(url)));
      if (fault !== undefined) throw fault;
      return addresses;
    } catch (error) {
      throw toTransportError(error, url, 'connecting');
    }
  }

  #lookUp(hostname: string, url: URL, signal: AbortSignal): Promise<string[]> {
    return new Promise((resolve, reject) => {
      const leave = this.#lookups.find(
        hostname,
        allowlistEntry(this.#sandbox, url),
        (error, answers) => {
          if (error === null) resolve(addressesOf(answers));
          else reject(error);
        },
      );
      signal.addEventListener('abort', leave);
    });
  }

  #guardFor(hostname: string, port: number): FaultAt {
    return (address) => addressFault(this.#sandbox, { hostname, address, port }, this.#ownPort());
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
        const fault = error ?? answersFault(addressesOf(answers), faultAt);
        const [first] = answers ?? [];
        if (fault !== undefined || first === undefined) callback(fault ?? null, []);
        else if (options.all) callback(null, answers);
        else callback(null, first.address, first.family);
      });
    };
    return { lookup, leave: () => leave() };
  }
}

type FaultAt = (address: string) => TransportError | undefined;

/**
 * Returns a fault if a name has no address, or if any of its addresses is refused, so that their
 * order does not matter.
 */
function answersFault(addresses: readonly string[], faultAt: FaultAt): Error | undefined {
  if (addresses.length === 0) return Object.assign(new Error('no address'), { code: 'ENODATA' });
  return addresses.map(faultAt).find((fault) => fault !== undefined);
}

const addressesOf = (answers: readonly LookupAddress[]) => answers.map(({ address }) => address);

/** Node needs about 50 ms to read its own authorities, so call this only once. */
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

/** Node leaves a TLS socket open after an error, so we destroy it. */
function destroyOnError(settle: buildConnector.Callback): buildConnector.Callback {
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

function allowlistEntry({ allowlist }: Sandbox, url: URL): string {
  return allowlist.entryFor(url) ?? url.host;
}
