import type { ResponseHeaders } from '@gatehouse/contracts';
import { Refusal } from '../errors.ts';
import type { OutboundRequest } from '../guard/guard.ts';
import { admitTarget, readLocation, type Target } from '../guard/url.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';

export const MAX_REDIRECTS = 5;

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);

/** Headers that go along to another origin; everything else might be a credential. */
const CROSS_ORIGIN_HEADERS = new Set(
  (
    'accept accept-encoding accept-language cache-control content-type ' +
    'traceparent tracestate user-agent'
  ).split(' '),
);

/** The next request of a redirect, or a sentence why it is not followed. */
export type Hop =
  | { readonly kind: 'follow'; readonly request: OutboundRequest }
  | { readonly kind: 'stop'; readonly reason: string };

const stop = (reason: string): Hop => ({ kind: 'stop', reason });

/**
 * Where a response leads (contract section 3, "Redirects"); undefined: it is no redirect.
 * Stops, in this order, at
 * 1. a location that is missing or malformed;
 * 2. one hop too many;
 * 3. a target outside the sandbox;
 * 4. https to http;
 * 5. a request that this attempt has `asked` already;
 * 6. a body that would go to another origin.
 *
 * Credentials stay with their origin.
 */
export function nextHop(
  request: OutboundRequest,
  { status, headers }: { status: number; headers: ResponseHeaders },
  asked: readonly OutboundRequest[],
  sandbox: Sandbox,
): Hop | undefined {
  if (!REDIRECT_STATUSES.has(status)) return undefined;
  const { location } = headers;
  if (typeof location !== 'string' || location === '')
    return stop('it has no location, or several.');
  const target = readLocation(location, request.url);
  if ('violation' in target) return stop(`its location ${target.violation.message}.`);
  if (asked.length > MAX_REDIRECTS) return stop(`it is more than ${MAX_REDIRECTS} redirects.`);
  const notAdmitted = reasonNotAdmitted(target, sandbox);
  if (notAdmitted !== undefined) return stop(notAdmitted);
  const { url } = target;
  if (request.url.protocol === 'https:' && url.protocol === 'http:')
    return stop('it leads from https to http.');
  const next = { ...rewriteMethod(request, status), url };
  if (asked.some((each) => requestLine(each) === requestLine(next)))
    return stop(`it leads back to where ${next.method} was sent already.`);
  if (url.origin === request.url.origin) return { kind: 'follow', request: next };
  if (next.body !== undefined) return stop('it would send the body to another origin.');
  const headersLeft = keepHeaders(next, (name) => CROSS_ORIGIN_HEADERS.has(name));
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

/** As the Fetch standard: 303, and POST on 301 and 302, become GET without a body. */
function rewriteMethod(request: OutboundRequest, status: number): OutboundRequest {
  const { method } = request;
  const rewritten =
    (status === 303 && method !== 'GET' && method !== 'HEAD') ||
    (status < 303 && method === 'POST');
  if (!rewritten) return request;
  const headers = keepHeaders(request, (name) => !name.startsWith('content-'));
  return { ...request, method: 'GET', headers, body: undefined };
}

function keepHeaders({ headers }: OutboundRequest, keeps: (name: string) => boolean) {
  return new Map([...headers].filter(([name]) => keeps(name)));
}
