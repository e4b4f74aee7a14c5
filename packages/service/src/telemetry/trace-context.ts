import type { FastifyRequest } from 'fastify';

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

/** Returns the trace id from the request's span or, failing that, its `traceparent` header. */
export function traceIdOf(request: FastifyRequest): string | undefined {
  return request.span?.traceId ?? traceHeaders(request).get('traceparent')?.split('-')[1];
}
