import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Aborts when the connection closes, or has closed, before the reply was written.
 * Fastify's own `request.signal` will not do: it fires as soon as the body of a POST has
 * been read.
 */
export function callerGone({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  if (raw.socket?.destroyed === true) controller.abort();
  raw.on('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** Version 00 to fe, and ids that are not all zero. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;

const NO_HEADERS: ReadonlyMap<string, string> = new Map();

/**
 * The caller's W3C trace context, to be passed on; empty when there is none or it is
 * malformed.
 */
export function traceHeaders({ headers }: FastifyRequest): ReadonlyMap<string, string> {
  const { traceparent, tracestate } = headers;
  if (typeof traceparent !== 'string' || !TRACEPARENT.test(traceparent)) return NO_HEADERS;
  const context = new Map([['traceparent', traceparent]]);
  if (typeof tracestate === 'string' && TRACESTATE.test(tracestate))
    context.set('tracestate', tracestate);
  return context;
}
