import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { MIMEType } from 'node:util';
import { REQUEST_ID, SERVICE_PATHS } from '@gatehouse/contracts';
import type { FastifyRequest } from 'fastify';

/** Removes the origin from an absolute URL (RFC 9112, section 3.2.2). */
export function originForm({ url = '' }: { readonly url?: string | undefined }): string {
  return url.replace(/^https?:\/\/[^/?#]*\/?/i, '/');
}

/** Returns a request target without its query, which may hold secrets. */
export function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

const { health, ready, metrics } = SERVICE_PATHS;
const PROBES: ReadonlySet<string> = new Set([health, ready, metrics]);

/** True if monitoring systems request this path every few seconds. */
export function isProbe(url: string): boolean {
  return PROBES.has(pathOf(url));
}

export const REQUEST_ID_HEADER = 'x-request-id';

export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const offered = headers[REQUEST_ID_HEADER];
  return typeof offered === 'string' && REQUEST_ID.test(offered) ? offered : randomUUID();
}

/** True if the client waits for `100 Continue` before it sends its body. */
export function expectsContinue({ expect }: IncomingHttpHeaders): boolean {
  return expect !== undefined && /^100-continue$/i.test(expect);
}

/** True if the body is uncompressed JSON in UTF-8, or absent. */
export function isPlainJson(headers: IncomingHttpHeaders): boolean {
  const { 'content-type': type, 'content-encoding': encoding = 'identity' } = headers;
  if (!/^(?:identity)?$/i.test(encoding)) return false;
  if (type === undefined) {
    const { 'content-length': length = '0', 'transfer-encoding': transfer } = headers;
    return length === '0' && transfer === undefined;
  }
  try {
    const { essence, params } = new MIMEType(type);
    const charset = params.get('charset') ?? 'utf-8';
    return essence === 'application/json' && charset.toLowerCase() === 'utf-8';
  } catch {
    return false;
  }
}

/** W3C `traceparent` header, versions 00 to fe. A trace or span id of all zeros is invalid. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;

/** Returns the caller's W3C trace headers, or none if `traceparent` is missing or malformed. */
export function traceHeaders({ headers }: FastifyRequest): ReadonlyMap<string, string> {
  const { traceparent, tracestate } = headers;
  if (typeof traceparent !== 'string' || !TRACEPARENT.test(traceparent)) return new Map();
  const context = new Map([['traceparent', traceparent]]);
  if (typeof tracestate === 'string' && TRACESTATE.test(tracestate))
    context.set('tracestate', tracestate);
  return context;
}

/** Returns the trace id from the request's span or, failing that, from `traceparent`. */
export function traceIdOf(request: FastifyRequest): string | undefined {
  return request.span?.traceId ?? traceHeaders(request).get('traceparent')?.split('-')[1];
}
