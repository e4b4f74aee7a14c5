import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { REQUEST_ID } from '@gatehouse/contracts';
import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import { ProblemReply } from '../problems/problem-reply.ts';

/** Removes the origin from an absolute URL (RFC 9112, section 3.2.2). */
export function originForm({ url = '' }: { readonly url?: string | undefined }): string {
  return url.replace(/^https?:\/\/[^/?#]*\/?/i, '/');
}

export const REQUEST_ID_HEADER = 'x-request-id';

export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const offered = headers[REQUEST_ID_HEADER];
  return typeof offered === 'string' && REQUEST_ID.test(offered) ? offered : randomUUID();
}

/** Answers 400 if the `host` header is missing. */
export const requireHost: onRequestHookHandler = ({ raw }, _reply, done) => {
  if (raw.headers.host !== undefined || raw.httpVersion !== '1.1') return done();
  done(new ProblemReply('MalformedRequest', 'Send a `host` header; HTTP/1.1 requires one.'));
};

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
