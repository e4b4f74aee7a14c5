import type { ResponseHeaders } from '@gatehouse/contracts';
import { Refusal } from '../errors.ts';
import type { OutboundRequest } from '../guard/guard.ts';
import { admitTarget, readLocation, type Target } from '../guard/url.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';

export const MAX_REDIRECTS = 5;

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);

/** Headers that are sent to another origin. Any other header might be a credential. */
const CROSS_ORIGIN_HEADERS = new Set(
  (
    'accept accept-encoding accept-language cache-control content-type ' +
    'traceparent tracestate user-agent'
  ).split(' '),
);

/** The next request of a redirect, or the reason why it is not followed. */
type Hop =
  | { readonly kind: 'follow'; readonly request: OutboundRequest }
  | { readonly kind: 'stop'; readonly reason: string };

const stop = (reason: string): Hop => ({ kind: 'stop', reason });

/**
 * Resolves a redirect (docs/contract.md, "Redirects"); undefined if the response is not one.
 * Refuses a redirect for the first of these reasons that applies:
 * 1. a location that is missing or malformed;
 * 2. one hop too many;
 * 3. a target outside the sandbox;
 * 4. https to http;
 * 5. a request that is among the `requests` of this attempt;
 * 6. a body that would go to another origin.
 */
export function nextHop(
  request: OutboundRequest,
  { status, headers }: { status: number; headers: ResponseHeaders },
  requests: readonly OutboundRequest[],
  sandbox: Sandbox,
): Hop | undefined {
  if (!REDIRECT_STATUSES.has(status)) return undefined;
  const { location } = headers;
  if (typeof location !== 'string' || location === '')
    return stop('it does not have exactly one `location`.');
  const target = readLocation(location, request.url);
  if ('violation' in target) return stop(`its location ${target.violation.message}.`);
  if (requests.length > MAX_REDIRECTS)
    return stop(`there were more than ${MAX_REDIRECTS} redirects.`);
  const notAdmitted = reasonNotAdmitted(target, sandbox);
  if (notAdmitted !== undefined) return stop(notAdmitted);
  const { url } = target;
  if (request.url.protocol === 'https:' && url.protocol === 'http:')
    return stop('it leads from https to http.');
  const next = { ...rewriteMethod(request, status), url };
  if (requests.some((each) => requestLine(each) === requestLine(next)))
    return stop(`${next.method} was already sent to its location.`);
  if (url.origin === request.url.origin) return { kind: 'follow', request: next };
  if (next.body !== undefined) return stop('it would send the body to another origin.');
  const headersLeft = filterHeaders(next, (name) => CROSS_ORIGIN_HEADERS.has(name));
  return { kind: 'follow', request: { ...next, headers: headersLeft } };
}

function requestLine({ method, url }: OutboundRequest): string {
  return `${method} ${url.origin}${url.pathname}${url.search}`;
}

function reasonNotAdmitted(target: Target, sandbox: Sandbox): string | undefined {
  try {
    admitTarget(target, sandbox);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

/** Like the Fetch standard, turns 303, and POST on 301 and 302, into GET without a body. */
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
