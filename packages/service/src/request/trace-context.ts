import type { FastifyRequest } from 'fastify';

/** Version 00 to fe; no id is all zeros. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;

/** The digits of the trace id in a `traceparent`. */
const TRACE_ID = [3, 35] as const;

const NO_HEADERS: ReadonlyMap<string, string> = new Map();

/** The caller's W3C trace context, to pass on; empty when absent or malformed. */
export function traceHeaders({ headers }: FastifyRequest): ReadonlyMap<string, string> {
  const { traceparent, tracestate } = headers;
  if (typeof traceparent !== 'string' || !TRACEPARENT.test(traceparent)) return NO_HEADERS;
  const context = new Map([['traceparent', traceparent]]);
  if (typeof tracestate === 'string' && TRACESTATE.test(tracestate))
    context.set('tracestate', tracestate);
  return context;
}

/** The trace that a request belongs to: that of its span, or of its caller. */
export function traceIdOf(request: FastifyRequest): string | undefined {
  return (
    request.span?.traceId ??
    traceHeaders(request)
      .get('traceparent')
      ?.slice(...TRACE_ID)
  );
}
