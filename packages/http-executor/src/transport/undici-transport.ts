import type { ResponseHeaders } from '@gatehouse/contracts';
import { isIpLiteral, isLoopback, withoutBrackets } from '@gatehouse/contracts/action';
import { Agent, type Dispatcher } from 'undici';
import type { MayReach } from '../addresses/address-rules.ts';
import type { TlsFiles } from '../destinations/tls-files.ts';
import type { Preview, SendOptions, Transport, WireResponse } from '../wire.ts';
import { AddressGuard, type AddressGuardOptions } from './address-guard.ts';
import { guardedConnector, tlsOptions } from './connect.ts';
import { type Reached, toTransportError } from './faults.ts';
import { tunnelConnector } from './proxy.ts';
import { codingOf, readBeginning, readBody } from './read-body.ts';

interface TransportSettings extends AddressGuardOptions {
  /** CA certificates in PEM format, trusted in addition to Node's built-in certificates. */
  readonly ca?: string | undefined;
  /** URL of a proxy for all hosts except loopback. The proxy, not Node, resolves host names. */
  readonly proxy?: string | undefined;
  /** Time limit for opening a connection, in milliseconds. */
  readonly connectTimeoutMs: number;
}

const OPTIONS = {
  allowH2: false,
  // undici's body timeout restarts with every chunk received, so each attempt has its own deadline.
  headersTimeout: 0,
  bodyTimeout: 0,
  // Close an idle connection before most servers would, to avoid reusing one that is closing.
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 10_000,
} satisfies Agent.Options;

/** Sends requests with undici's connection pool, to allowed addresses only. */
export class UndiciTransport {
  readonly #guard: AddressGuard;
  readonly #settings: TransportSettings;
  /** Connection pools. Requests share a pool only if they use the same TLS files and proxy. */
  readonly #pools = new Map<string, Dispatcher>();

  constructor(mayReach: MayReach, settings: TransportSettings) {
    this.#guard = new AddressGuard(mayReach, settings);
    this.#settings = settings;
  }

  readonly send: Transport = async (request, options) => {
    const { url, method, headers, body = null } = request;
    const proxy = this.#proxyFor(url);
    let reached: Reached = 'connecting';
    const onSending = () => {
      options.onSending?.();
      reached = 'request';
    };
    try {
      const response = await this.#poolFor(request.tls, proxy).request({
        ...{ origin: url.origin, path: `${url.pathname}${url.search}`, method, headers, body },
        ...{ signal: options.signal, onSending },
      } as Dispatcher.RequestOptions);
      reached = 'response';
      return await receive(response, options);
    } catch (error) {
      throw toTransportError(error, url, reached);
    }
  };

  /** Resolves a URL's host and checks its addresses as `send` does, but does not connect. */
  readonly preview: Preview = async (url) => {
    if (!isIpLiteral(url.hostname) && this.#proxyFor(url) !== undefined) return [];
    try {
      const answers = await this.#guard.resolve(url);
      return answers.map(({ address }) => address);
    } catch (error) {
      throw toTransportError(error, url, 'connecting');
    }
  };

  /** Closes the connections of TLS files other than these as soon as they are idle. */
  retain(files: Iterable<TlsFiles>): void {
    const ids = new Set(['undefined', ...[...files].map(({ id }) => id)]);
    for (const [key, pool] of this.#pools) {
      if (ids.has(key.split(' ')[0] as string)) continue;
      this.#pools.delete(key);
      void pool.close();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((each) => each.destroy()));
  }

  /**
   * Returns the proxy's URL, or undefined for a direct connection. Bypasses the proxy for an IP
   * address that the sandbox refuses, so that the guarded connection refuses it and says why.
   */
  #proxyFor(url: URL): string | undefined {
    const { proxy } = this.#settings;
    const { hostname } = url;
    if (proxy === undefined || isLoopback(hostname)) return undefined;
    const isRefused =
      isIpLiteral(hostname) && this.#guard.faultOf(url, withoutBrackets(hostname)) !== undefined;
    return isRefused ? undefined : proxy;
  }

  #poolFor(tls: TlsFiles | undefined, proxy: string | undefined): Dispatcher {
    const key = `${tls?.id} ${tls?.identity !== undefined} ${proxy !== undefined}`;
    const known = this.#pools.get(key);
    if (known !== undefined) return known;
    const pool = this.#createPool(tls, proxy).compose(reportSending);
    this.#pools.set(key, pool);
    return pool;
  }

  #createPool(tls: TlsFiles | undefined, proxy: string | undefined): Dispatcher {
    const { ca, connectTimeoutMs: timeout } = this.#settings;
    const options = { ...tlsOptions(tls, ca), timeout };
    const proxyOptions = { ...tlsOptions(undefined, ca), timeout };
    const connect =
      proxy === undefined
        ? guardedConnector(this.#guard, options)
        : tunnelConnector(new URL(proxy), proxyOptions, options);
    return new Agent({ ...OPTIONS, connect });
  }
}

/** Calls the option `onSending` just before the first byte of a request is sent. */
const reportSending: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
  const { onSending } = options as { onSending?: () => void };
  return dispatch(options, {
    onRequestStart: (...given) => {
      onSending?.();
      return handler.onRequestStart?.(...given);
    },
    onRequestUpgrade: (...given) => handler.onRequestUpgrade?.(...given),
    onResponseStart: (...given) => handler.onResponseStart?.(...given),
    onResponseData: (...given) => handler.onResponseData?.(...given),
    onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
    onResponseError: (...given) => handler.onResponseError?.(...given),
  });
};

/** Reads the body, and leaves out headers that describe the body before decompression. */
async function receive(
  { statusCode: status, headers: all, body }: Dispatcher.ResponseData,
  options: SendOptions,
): Promise<WireResponse> {
  // Without a listener, stopping halfway through the body would crash the process.
  body.on('error', () => {});
  const { 'content-encoding': codings, ...others } = all as ResponseHeaders;
  const { 'content-length': _length, ...decoded } = others;
  const headers = codings === undefined ? others : decoded;

  const fault = options.refuseBody?.({ status, headers });
  if (fault === undefined)
    return { status, headers, body: await readBody(body, codingOf(codings), options) };

  const bytes = codings === undefined ? await readBeginning(body) : Buffer.alloc(0);
  return { status, headers, body: { bytes, fault } };
}
