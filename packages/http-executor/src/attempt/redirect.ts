import { DROPPED_CHARACTERS, type Rejected, readUrl, type Target } from '@gatehouse/destinations';
import { Refusal } from '../errors.ts';
import { credentialOf, findRoute, type OutboundRequest } from '../guard/guard.ts';
import { isHeaderOf } from '../guard/request-headers.ts';
import { latin1ToUtf8 } from '../text.ts';
import type { ResponseHead } from '../transport.ts';

export const MAX_REDIRECTS = 5;

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);

/** Headers to keep after a redirect to another origin. Any other header could be a credential. */
const CROSS_ORIGIN_HEADER =
  /^(?:accept(?:-encoding|-language)?|cache-control|content-type|traceparent|tracestate|user-agent)$/;

/** Request to send after a redirect, or the reason why the redirect is not followed. */
type Hop = { readonly next: OutboundRequest } | { readonly notFollowed: string };

const stop = (notFollowed: string): Hop => ({ notFollowed });

/**
 * Resolves a redirect (docs/contract.md, "Redirects"). Returns undefined if the response is not a
 * redirect. A redirect is not followed in these cases (the first that applies is reported):
 * 1. the location is missing or malformed;
 * 2. there were too many redirects;
 * 3. no destination allows the new request;
 * 4. the redirect switches from https to http;
 * 5. this attempt has already sent the same request, so the redirect would loop;
 * 6. the redirect would send the body to another origin.
 * No credential is sent after a redirect to another origin or destination. An action's header
 * is dropped if the new destination has a credential for that header.
 */
export function nextHop(
  request: OutboundRequest,
  { status, headers: { location } }: ResponseHead,
  requests: readonly OutboundRequest[],
): Hop | undefined {
  if (!REDIRECT_STATUSES.has(status)) return undefined;
  if (typeof location !== 'string' || location === '')
    return stop('the response has no `location` header, or more than one.');
  const target = readLocation(location, request.url);
  if ('violation' in target) return stop(`its \`location\` ${target.violation.message}.`);
  if (requests.length > MAX_REDIRECTS)
    return stop(`there were more than ${MAX_REDIRECTS} redirects.`);
  const { url } = target;
  const rewritten = rewriteMethod(request, status);
  const route = findRoute(target, rewritten.method, request.route);
  if (route instanceof Refusal) return stop(route.message);
  if (request.url.protocol === 'https:' && url.protocol === 'http:')
    return stop('the redirect would switch from https to http.');
  const isSameOrigin = url.origin === request.url.origin;
  const isSameDestination = route.destination === request.route.destination;
  const mayAuthenticate = request.mayAuthenticate && isSameOrigin && isSameDestination;
  const credential = credentialOf(route);
  const kept = filterHeaders(rewritten, (name) => !(credential && isHeaderOf(credential, name)));
  const next = { ...rewritten, headers: kept, url, route, mayAuthenticate };
  if (requests.some((each) => requestLine(each) === requestLine(next)))
    return stop(
      `the redirect would loop, because this attempt already sent ${next.method} to the URL in \`location\`.`,
    );
  if (isSameOrigin) return { next };
  if (next.body !== undefined) return stop('the redirect would send the body to another origin.');
  const headers = filterHeaders(next, (name) => CROSS_ORIGIN_HEADER.test(name));
  return { next: { ...next, headers } };
}

/** Returns the method and the URL. An empty query is dropped, so `/a?` becomes `/a`. */
function requestLine({ method, url }: OutboundRequest): string {
  return `${method} ${url.origin}${url.pathname}${url.search}`;
}

/** Changes a POST to a GET after a 301 or 302, and any method except HEAD to GET after a 303. */
function rewriteMethod(request: OutboundRequest, status: number): OutboundRequest {
  const { method } = request;
  const rewritten =
    (status === 303 && method !== 'GET' && method !== 'HEAD') ||
    (status < 303 && method === 'POST');
  if (!rewritten) return request;
  const headers = filterHeaders(request, (name) => !name.startsWith('content-'));
  return { ...request, method: 'GET', headers, body: undefined };
}

function filterHeaders({ headers }: OutboundRequest, isKept: (name: string) => boolean) {
  return new Map([...headers].filter(([name]) => isKept(name)));
}

/** Parses a redirect's `location` as strictly as an action's URL. */
function readLocation(location: string, base: URL): Target | Rejected {
  const text = (latin1ToUtf8(location) ?? percentEncoded(location)).trim();
  if (/^[a-z][a-z\d+.-]*:/i.test(text)) return readUrl(text);
  if (text.startsWith('//')) return readUrl(`${base.protocol}${text}`);
  const target = readUrl(
    DROPPED_CHARACTERS.test(text) ? text : (URL.parse(text, base)?.href ?? text),
  );
  return 'violation' in target ? target : { ...target, writtenPath: text.replace(/[?#].*/s, '') };
}

/** Percent-encodes the non-ASCII bytes of a latin1 string. */
const percentEncoded = (text: string): string =>
  text.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
