import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import net from 'node:net';
import { createSecureContext, getCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { isIpLiteral, isLoopback, portOf, withoutBrackets } from '@gatehouse/destinations';
import { LRUCache } from 'lru-cache';
import { buildConnector, Client } from 'undici';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { type Preview, type TlsFiles, TransportError, type WireRequest } from '../transport.ts';
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
 * 1. checks an IP address in the URL;
 * 2. checks every address that the resolver returns;
 * 3. checks the address of the connected peer, before anything (even TLS) is sent to that peer.
 * Through a proxy, only the first check applies, because the proxy resolves names and connects.
 */
export class GuardedConnector {
  readonly #guard: AddressGuard;
  readonly #options: GuardedConnectOptions;
  /** Caches TLS contexts by the `id` of the TLS files, because creating one takes 50 ms. */
  readonly #tls = new LRUCache<string, buildConnector.connector>({ max: MAX_TLS_CONTEXTS });

  constructor(sandbox: Sandbox, options: GuardedConnectOptions) {
    this.#guard = new AddressGuard(sandbox, options);
    this.#options = options;
  }

  #tlsFor(tls: TlsFiles | undefined): buildConnector.connector {
    const id = `${tls?.id} ${tls?.identity !== undefined}`;
    const known = this.#tls.get(id);
    if (known !== undefined) return known;
    const extra = [this.#options.ca, tls?.ca].filter((each) => each !== undefined);
    const isDefault = extra.length === 0 && tls?.identity === undefined;
    const secureContext = isDefault
      ? undefined
      : createSecureContext({ ca: [...getCACertificates('default'), ...extra], ...tls?.identity });
    // Disable undici's timeout, because the attempt closes the connection at its own deadline.
    const made = buildConnector({ allowH2: false, timeout: 0, secureContext });
    this.#tls.set(id, made);
    return made;
  }

  /**
   * Returns the proxy's URL, or undefined for a direct connection. Bypasses the proxy for an
   * IP address that the sandbox refuses, so that `connect` refuses the connection and says why.
   */
  #proxyFor(url: URL): URL | undefined {
    const { proxy } = this.#options;
    const { hostname } = url;
    if (proxy === undefined || isLoopback(hostname)) return undefined;
    const fault = isIpLiteral(hostname) && this.#guard.faultOf(url, withoutBrackets(hostname));
    return fault ? undefined : new URL(proxy);
  }

  /**
   * Opens a socket, with TLS for https. No socket stays open after an error or an abort.
   * @throws {TransportError} if an address is refused or the proxy fails. Rethrows other errors.
   */
  async connect(
    { url, tls }: Pick<WireRequest, 'url' | 'tls'>,
    onStage: OnStage,
    signal: AbortSignal,
  ): Promise<net.Socket> {
    const proxy = this.#proxyFor(url);
    const answers = proxy ? undefined : await this.#guard.resolve(url, onStage, signal);
    if (signal.aborted) throw ABORTED;
    const socket = connectTcp(proxy ?? url, answers);
    const destroy = () => socket.destroy(ABORTED);
    signal.addEventListener('abort', destroy);
    try {
      if (proxy === undefined) await this.#checkPeer(socket, url);
      const plain = proxy ? await this.#openTunnel(socket, proxy, url, onStage) : socket;
      return url.protocol === 'http:' ? plain : await this.#startTls(plain, url, tls);
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      signal.removeEventListener('abort', destroy);
    }
  }

  async #checkPeer(socket: net.Socket, url: URL): Promise<void> {
    await once(socket, 'connect');
    // A socket has no remote address if the peer has already disconnected.
    if (socket.remoteAddress === undefined) throw new Error('the peer is gone');
    const fault = this.#guard.faultOf(url, socket.remoteAddress);
    if (fault !== undefined) throw fault;
  }

  async #startTls(socket: net.Socket, { protocol, host, hostname, port }: URL, tls?: TlsFiles) {
    const options = { protocol, host, hostname: withoutBrackets(hostname), port };
    const startTls = promisify(this.#tlsFor(tls));
    // The socket is never null here, because undici passes null only together with an error.
    const secured = (await startTls({ ...options, httpSocket: socket })) as net.Socket;
    // Node leaves a TLS socket open after an error, so we destroy it.
    secured.once('error', () => secured.destroy());
    if (secured.destroyed) throw secured.errored ?? new Error('the peer is gone');
    return secured;
  }

  /** Opens a tunnel to the URL's host. @throws {TransportError} about the proxy */
  async #openTunnel(socket: net.Socket, proxy: URL, url: URL, onStage: OnStage) {
    onStage('tunneling');
    try {
      await once(socket, 'connect');
      const peer = proxy.protocol === 'http:' ? socket : await this.#startTls(socket, proxy);
      const { statusCode: status, socket: tunnel } = await requestTunnel(peer, proxy, url);
      const refused = `The outgoing proxy did not connect to \`${url.host}\` (status ${status}).`;
      if (status < 200 || status > 299) throw new TransportError('connection', refused);
      onStage('connecting');
      return tunnel as net.Socket;
    } catch (error) {
      throw toTransportError(error, proxy, 'connecting', 'the outgoing proxy');
    }
  }

  /** Resolves a URL's host and checks its IP addresses as `connect` does, but does not connect. */
  readonly preview: Preview = async (url, signal) => {
    try {
      if (!isIpLiteral(url.hostname) && this.#proxyFor(url) !== undefined) return [];
      const answers = await this.#guard.resolve(url, () => {}, signal);
      return answers.map(({ address }) => address);
    } catch (error) {
      throw toTransportError(error, url, 'connecting');
    }
  };
}

/** Connects to an address in `answers`. If `answers` is undefined, Node resolves the URL's host. */
function connectTcp(url: URL, answers: LookupAddress[] | undefined): net.Socket {
  const socket = net.connect({
    host: withoutBrackets(url.hostname),
    port: portOf(url),
    ...(answers && { lookup: (_host, _options, callback) => callback(null, answers) }),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
  });
  // Without a listener, an `error` event on the socket would crash the process.
  return socket.on('error', () => {});
}

/** Sends a `CONNECT` request for the URL's host, with the proxy's user name and password. */
function requestTunnel(socket: net.Socket, { origin, username, password }: URL, url: URL) {
  // If `connect` called back synchronously, undici would never send the request. If it handed
  // undici a closed socket, undici would call `connect` forever.
  const connect: Client.Options['connect'] = (_options, callback) =>
    queueMicrotask(() => {
      if (socket.destroyed) callback(socket.errored ?? new Error('the peer is gone'), null);
      else callback(null, socket);
    });
  const client = new Client(origin, { connect, headersTimeout: 0 });
  const path = `${url.hostname}:${portOf(url)}`;
  const login = Buffer.from(decodeURIComponent(`${username}:${password}`)).toString('base64');
  const headers = {
    host: path,
    ...((username || password) && { 'proxy-authorization': `Basic ${login}` }),
  };
  return client.connect({ path, headers });
}
