import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import net from 'node:net';
import { createSecureContext, getCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { isIpLiteral, isLoopback, portOf, withoutBrackets } from '@gatehouse/destinations';
import { LRUCache } from 'lru-cache';
import { buildConnector, type ProxyAgent } from 'undici';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Preview, TlsFiles } from '../transport.ts';
import { AddressGuard, type AddressGuardOptions, type OnStage } from './address-guard.ts';
import { ABORTED, toTransportError } from './faults.ts';

export interface GuardedConnectOptions extends AddressGuardOptions {
  /** CA certificates in PEM format, trusted in addition to Node's built-in certificates. */
  readonly ca?: string | undefined;
  /** URL of a proxy for all hosts except loopback. The proxy, not Node, resolves host names. */
  readonly proxy?: string | undefined;
}

/** Time after which we try a host's next address. Node's default is too short for distant hosts. */
const ADDRESS_ATTEMPT_MS = 1_500;
const KEEP_ALIVE_PROBE_MS = 60_000;

/** Maximum number of cached TLS contexts. Realistic destinations files need far fewer. */
const MAX_TLS_CONTEXTS = 256;

/**
 * Connects only to addresses that the sandbox allows:
 * 1. checks an IP address in the URL, because Node calls `lookup` only for host names;
 * 2. checks every address that the resolver returns;
 * 3. checks the address of the connected peer, before anything (even TLS) is sent to that peer.
 */
export class GuardedConnector {
  readonly #guard: AddressGuard;
  readonly #options: GuardedConnectOptions;
  /** Caches TLS contexts by the `id` of the TLS files, because creating one takes 50 ms. */
  readonly #tls = new LRUCache<string, [buildConnector.BuildOptions, buildConnector.connector]>({
    max: MAX_TLS_CONTEXTS,
  });

  constructor(sandbox: Sandbox, options: GuardedConnectOptions) {
    this.#guard = new AddressGuard(sandbox, options);
    this.#options = options;
  }

  #tlsFor(tls: TlsFiles | undefined): [buildConnector.BuildOptions, buildConnector.connector] {
    const id = `${tls?.id} ${tls?.identity !== undefined}`;
    const known = this.#tls.get(id);
    if (known !== undefined) return known;
    const extra = [this.#options.ca, tls?.ca].filter((each) => each !== undefined);
    const isDefault = extra.length === 0 && tls?.identity === undefined;
    const secureContext = isDefault
      ? undefined
      : createSecureContext({ ca: [...getCACertificates('default'), ...extra], ...tls?.identity });
    // Disable undici's timeout, because the attempt closes the connection at its own deadline.
    const options = { allowH2: false, timeout: 0, ...(secureContext && { secureContext }) };
    const made: [typeof options, buildConnector.connector] = [options, buildConnector(options)];
    this.#tls.set(id, made);
    return made;
  }

  /**
   * Returns the proxy's options, or undefined for a direct connection. Bypasses the proxy for an
   * IP address that the sandbox refuses, so that `connect` refuses the connection and says why.
   */
  proxyFor(url: URL, tls: TlsFiles | undefined): ProxyAgent.Options | undefined {
    const { proxy: uri } = this.#options;
    if (uri === undefined || isLoopback(url.hostname)) return undefined;
    const hostname = withoutBrackets(url.hostname);
    if (isIpLiteral(url.hostname) && this.#guard.faultOf(url, hostname) !== undefined)
      return undefined;
    const [requestTls, [proxyTls]] = [this.#tlsFor(tls)[0], this.#tlsFor(undefined)];
    return { uri, requestTls, proxyTls, proxyTunnel: true, connectTimeout: 0 };
  }

  /**
   * Opens a socket, with TLS for https. No socket stays open after an error or an abort.
   * @throws {TransportError} if an address is refused. DNS, socket and TLS errors are thrown as is.
   */
  async connect(
    { tls, ...options }: buildConnector.Options & { readonly tls: TlsFiles | undefined },
    onStage: OnStage,
    signal: AbortSignal,
  ): Promise<net.Socket> {
    const url = new URL(`${options.protocol}//${options.host}`);
    const hostname = withoutBrackets(options.hostname);
    const answers = await this.#guard.resolve(url, onStage, signal);
    if (signal.aborted) throw ABORTED;
    const socket = connectTcp(hostname, portOf(url), answers);
    const destroy = () => socket.destroy(ABORTED);
    signal.addEventListener('abort', destroy);
    try {
      await once(socket, 'connect');
      // A socket has no remote address if the peer has already disconnected.
      if (socket.remoteAddress === undefined) throw new Error('the peer is gone');
      const fault = this.#guard.faultOf(url, socket.remoteAddress);
      if (fault !== undefined) throw fault;
      if (url.protocol === 'http:') return socket;
      const startTls = promisify(this.#tlsFor(tls)[1]);
      // The socket is never null here, because undici passes null only together with an error.
      const secured = (await startTls({ ...options, hostname, httpSocket: socket })) as net.Socket;
      // Node leaves a TLS socket open after an error, so we destroy it.
      secured.once('error', () => secured.destroy());
      if (secured.destroyed) throw secured.errored ?? new Error('the peer is gone');
      return secured;
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      signal.removeEventListener('abort', destroy);
    }
  }

  /** Resolves a URL's host and checks its IP addresses as `connect` does, but does not connect. */
  readonly preview: Preview = async (url, signal) => {
    try {
      if (!isIpLiteral(url.hostname) && this.proxyFor(url, undefined) !== undefined) return [];
      const answers = await this.#guard.resolve(url, () => {}, signal);
      return answers.map(({ address }) => address);
    } catch (error) {
      throw toTransportError(error, url, 'connecting');
    }
  };
}

function connectTcp(host: string, port: number, answers: LookupAddress[]): net.Socket {
  const socket = net.connect({
    host,
    port,
    lookup: (_host, _options, callback) => callback(null, answers),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
  });
  // Without a listener, an `error` event on the socket would crash the process.
  return socket.on('error', () => {});
}
