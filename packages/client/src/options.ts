import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, validateHeaderValue } from 'node:http';
import { REQUEST_ID } from '@gatehouse/contracts';
import type { Dispatcher } from 'undici';

export interface ServiceOptions {
  /** Absolute http(s) URL of the service. The URL's path is prepended to every request path. */
  readonly url: string;
  /** Bearer token for the `Authorization` header. */
  readonly token?: string | undefined;
  /**
   * Time limit in milliseconds for one call and its retries, at most 2,147,483,647 (24 days).
   * Default: 5,000 for the policy service, 65,000 for the executor.
   */
  readonly timeoutMs?: number | undefined;
  /** Default: a connection pool. To trust a private CA, pass `new Agent({ connect: { ca } })`. */
  readonly dispatcher?: Dispatcher | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** `x-request-id` of 1 to 128 visible ASCII characters. If undefined, each call gets a new id. */
  readonly requestId?: string | undefined;
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

/** Returns the ids of a request, and a `signal` that is aborted if the client disconnects. */
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

/** Returns the `x-request-id` of a Node or fetch request if it is valid, otherwise a new one. */
export function requestIdOf(headers: IncomingMessage['headers'] | Headers): string {
  const given = headers instanceof Headers ? headers.get('x-request-id') : headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** @throws {TypeError} if an id is invalid. Services would replace an invalid request id. */
export function callHeaders({ requestId = randomUUID(), traceparent, tracestate }: CallOptions) {
  if (!REQUEST_ID.test(requestId))
    throw new TypeError('`requestId` must be 1 to 128 visible ASCII characters, without spaces.');
  const trace = { traceparent, tracestate };
  for (const [name, value = ''] of Object.entries(trace)) validateHeaderValue(name, value);
  return { 'x-request-id': requestId, ...trace };
}

export function baseUrl(text: string): string {
  const url = URL.parse(text);
  const { protocol = '', username, password, search, hash } = url ?? {};
  const extra = [username, password, search, hash].join('');
  if (url === null || !/^https?:$/.test(protocol) || extra !== '')
    throw new TypeError('`url` must be an http(s) URL without credentials, query or fragment.');
  return url.href.replace(/\/+$/, '');
}

export function bearer(token: string | undefined): { readonly authorization?: string } {
  if (token === undefined) return {};
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new TypeError('`token` must be visible ASCII characters, without spaces.');
  return { authorization: `Bearer ${token}` };
}

/** Maximum delay of a Node timer. If a delay exceeds the maximum, the timer fires immediately. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** @throws {TypeError} for an invalid time limit, such as 0 or `Infinity`. */
export function checkedTimeout(ms: number): number {
  if (typeof ms === 'number' && ms > 0 && ms <= MAX_TIMEOUT_MS) return Math.ceil(ms);
  throw new TypeError(
    `\`timeoutMs\` must be above 0 and at most ${MAX_TIMEOUT_MS} milliseconds, but is \`${ms}\`.`,
  );
}
