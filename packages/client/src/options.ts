import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Dispatcher } from 'undici';

/** Where a service is, and how to talk to it. */
export interface ServiceOptions {
  /** Absolute http or https URL, with or without a path in front of the service's own. */
  readonly url: string;
  /** Sent as `Authorization: Bearer`. */
  readonly token?: string | undefined;
  /**
   * Milliseconds for one call with its retries, above 0 and at most 2,147,483,647 (24 days).
   * Default: 5,000 for policy, 65,000 for the executor.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Default: kept-alive connections of the client's own, and answers of at most 64 MiB. Bring
   * one for an authority or a certificate: `new Agent({ connect: { ca } })`.
   */
  readonly dispatcher?: Dispatcher | undefined;
}

/** Options of one call, most of them inherited from its cause. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** In place of the client's. */
  readonly timeoutMs?: number | undefined;
  /** `x-request-id`, 1 to 128 visible ASCII characters; generated when absent. */
  readonly requestId?: string | undefined;
  /** W3C trace context. */
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** The `x-request-id` of a request if it can be passed on, else a new one. */
export function requestIdOf({ 'x-request-id': given }: IncomingHttpHeaders): string {
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/**
 * What calls inherit from the HTTP request that they are made for: its id, its trace context,
 * and a signal that aborts them when its caller goes away.
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

/** The headers that one call adds. @throws {TypeError} for an id that services would replace. */
export function callHeaders({ requestId = randomUUID(), traceparent, tracestate }: CallOptions) {
  if (!REQUEST_ID.test(requestId))
    throw new TypeError('`requestId` must be 1 to 128 visible ASCII characters, without spaces.');
  return { 'x-request-id': requestId, traceparent, tracestate };
}

/** The longest wait of a timer in Node, which fires at once for a longer one. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** @throws {TypeError} for anything else, `Infinity` too, because each call has to end. */
export function timeoutOf(ms: number): number {
  if (typeof ms === 'number' && ms > 0 && ms <= MAX_TIMEOUT_MS) return Math.ceil(ms);
  throw new TypeError(
    `\`timeoutMs\` is \`${ms}\`: it must be milliseconds above 0, and at most ${MAX_TIMEOUT_MS}.`,
  );
}

/** The URL without a trailing slash. @throws {TypeError} */
export function baseUrl(text: string): string {
  const url = URL.parse(text);
  const { protocol = '', username, password, search, hash } = url ?? {};
  const extra = [username, password, search, hash].join('');
  if (url === null || !/^https?:$/.test(protocol) || extra !== '')
    throw new TypeError('`url` must be an http or https URL without credentials, query, fragment.');
  return url.href.replace(/\/+$/, '');
}

/** The header of a token. @throws {TypeError} */
export function bearer(token: string | undefined): { readonly authorization?: string } {
  if (token === undefined) return {};
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new TypeError('`token` must be visible ASCII characters, without spaces.');
  return { authorization: `Bearer ${token}` };
}
