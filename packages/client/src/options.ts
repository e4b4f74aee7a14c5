import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Dispatcher } from 'undici';

export interface ServiceOptions {
  /**
   * Absolute http or https URL of the service. If the URL has a path, the client puts it before the
   * service's own paths.
   */
  readonly url: string;
  /** Token to send as `Authorization: Bearer`. */
  readonly token?: string | undefined;
  /**
   * Time limit in milliseconds for one call with its retries: above 0 and at most 2,147,483,647 (24
   * days). Default: 5,000 for policy, 65,000 for the executor.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Default: the client's own pool of kept-alive connections. Pass your own dispatcher for a
   * private certificate authority or a client certificate: `new Agent({ connect: { ca } })`.
   */
  readonly dispatcher?: Dispatcher | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** `x-request-id` of 1 to 128 visible ASCII characters. Default: a new one for each call. */
  readonly requestId?: string | undefined;
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** Returns the `x-request-id` of a request if it is valid, otherwise a new one. */
export function requestIdOf({ 'x-request-id': given }: IncomingHttpHeaders): string {
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/**
 * Returns the options that a call inherits from an incoming request. `signal` aborts when the
 * sender of that request disconnects.
 */
export function callOptionsOf(
  { headers }: IncomingMessage,
  response: ServerResponse,
): CallOptions & { readonly requestId: string; readonly signal: AbortSignal } {
  const gone = new AbortController();
  const closed = () => {
    if (!response.writableFinished) gone.abort();
  };
  if (response.destroyed) closed();
  else response.once('close', closed);
  const { traceparent, tracestate } = headers;
  return {
    requestId: requestIdOf(headers),
    traceparent: traceparent?.toString(),
    tracestate: tracestate?.toString(),
    signal: gone.signal,
  };
}

/**
 * @throws {TypeError} for an invalid request id, because a service would replace it with another.
 */
export function callHeaders({ requestId = randomUUID(), traceparent, tracestate }: CallOptions) {
  if (!REQUEST_ID.test(requestId))
    throw new TypeError('`requestId` must be 1 to 128 visible ASCII characters, without spaces.');
  return { 'x-request-id': requestId, traceparent, tracestate };
}

/** Longest delay of a timer in Node. A timer with a longer delay fires at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * @throws {TypeError} for a value that is not above 0 and at most `MAX_TIMEOUT_MS`. `Infinity` is
 * refused, because every call must end.
 */
export function checkedTimeout(ms: number): number {
  if (typeof ms === 'number' && ms > 0 && ms <= MAX_TIMEOUT_MS) return Math.ceil(ms);
  throw new TypeError(
    `\`timeoutMs\` must be above 0 and at most ${MAX_TIMEOUT_MS} milliseconds, but is \`${ms}\`.`,
  );
}

/** @throws {TypeError} */
export function baseUrl(text: string): string {
  const url = URL.parse(text);
  const { protocol = '', username, password, search, hash } = url ?? {};
  const extra = [username, password, search, hash].join('');
  if (url === null || !/^https?:$/.test(protocol) || extra !== '')
    throw new TypeError('`url` must be an http(s) URL without credentials, query or fragment.');
  return url.href.replace(/\/+$/, '');
}

/** @throws {TypeError} */
export function bearer(token: string | undefined): { readonly authorization?: string } {
  if (token === undefined) return {};
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new TypeError('`token` must be visible ASCII characters, without spaces.');
  return { authorization: `Bearer ${token}` };
}
