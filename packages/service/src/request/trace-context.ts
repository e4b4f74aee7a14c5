import type { FastifyRequest } from 'fastify';

/** Versions 00 to fe. An id of all zeros is invalid. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;

/** Start and end of the trace id in a `traceparent`. */
const TRACE_ID = [3, 35] as const;

const NO_HEADERS: ReadonlyMap<string, string> = new Map();

/** Returns the caller's W3C trace context; empty if absent or malformed. */
export function traceHeaders({ headers }: FastifyRequest): ReadonlyMap<string, string> {
  const { traceparent, tracestate } = headers;
  if (typeof traceparent !== 'string' || !TRACEPARENT.test(traceparent)) return NO_HEADERS;
  const context = new Map([['traceparent', traceparent]]);
  if (typeof tracestate === 'string' && TRACESTATE.test(tracestate))
    context.set('tracestate', tracestate);
  return context;
}

/** Returns the trace id of the request's span or, without one, of its caller. */
export function traceIdOf(request: FastifyRequest): string | undefined {
  return (
    request.span?.traceId ??
    traceHeaders(request)
      .get('traceparent')
      ?.slice(...TRACE_ID)
  );
}
