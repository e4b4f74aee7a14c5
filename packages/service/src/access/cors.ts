import { DECISION_HEADER, DIGEST_HEADER, KEY_HEADER, REPLAYED_HEADER } from '@gatehouse/contracts';
import type { onRequestHookHandler } from 'fastify';
import { REQUEST_ID_HEADER } from '../http/request-head.ts';

const METHODS = 'GET, HEAD, POST';
const REQUEST_HEADERS = `authorization, content-type, traceparent, tracestate, ${DECISION_HEADER}, ${KEY_HEADER}, ${REQUEST_ID_HEADER}`;
const EXPOSED_HEADERS = `retry-after, ${DIGEST_HEADER}, ${REPLAYED_HEADER}, ${REQUEST_ID_HEADER}`;

const MAX_AGE_S = '600';

/** Adds CORS headers and answers preflights for `origins` (docs/contract.md, "CORS"). */
export function allowOrigins(origins: ReadonlySet<string>): onRequestHookHandler {
  return (request, reply, done) => {
    reply.header('vary', 'Origin');
    const { origin, 'access-control-request-method': requested } = request.headers;
    if (origin === undefined || !origins.has(origin)) return done();

    reply.header('access-control-allow-origin', origin);
    reply.header('access-control-expose-headers', EXPOSED_HEADERS);
    if (request.method !== 'OPTIONS' || requested === undefined) return done();

    reply.headers({
      'access-control-allow-methods': METHODS,
      'access-control-allow-headers': REQUEST_HEADERS,
      'access-control-max-age': MAX_AGE_S,
    });
    // Answer preflights for every path, so that the replies do not reveal which paths exist.
    reply.code(204).send();
  };
}

/** Parses CORS origins. @throws Error for `*`, `null` or a default port, as in `https://a:443` */
export function parseOrigins(texts: readonly string[]): ReadonlySet<string> {
  const malformed = texts.filter((text) => !isCorsOrigin(text));
  if (malformed.length > 0) {
    const shown = malformed.map((text) => `\`${text}\``).join(', ');
    throw new Error(
      `must not contain ${shown}; write each origin as scheme://host[:port] in lower case, such as https://app.example.com`,
    );
  }
  return new Set(texts);
}

function isCorsOrigin(text: string): boolean {
  const { protocol = '', origin } = URL.parse(text) ?? {};
  return /^https?:$/.test(protocol) && origin === text && !text.includes('*');
}
