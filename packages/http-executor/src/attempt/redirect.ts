import type { ResponseHeaders } from '@gatehouse/contracts';
import type { OutboundRequest } from '../guard/guard.ts';
import { admitTarget, readLocation, type Target } from '../guard/url.ts';
import { Refusal } from '../refusal.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { WireRequest } from '../transport.ts';

export const MAX_REDIRECTS = 5;

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);

/** Headers that go along to another origin; everything else might be a credential. */
const CROSS_ORIGIN_HEADERS = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'content-type',
  'traceparent',
  'tracestate',
  'user-agent',
]);

/** A redirect's next request, or the sentence that says why it is not followed. */
export type Hop = { readonly follow: OutboundRequest } | { readonly stay: string };

/**
 * Where a response leads (contract section 3, "Redirects"); undefined when it is no
 * redirect. Not followed is, in this order: a location that is missing or unreadable; one
 * hop too many; a target outside the sandbox; https to http; what this attempt has
 * `asked` already; a body to another origin. Credentials stay with their origin.
 */
export function nextHop(
  request: OutboundRequest,
  { status, headers }: { status: number; headers: ResponseHeaders },
  asked: readonly WireRequest[],
  sandbox: Sandbox,
): Hop | undefined {
  if (!REDIRECT_STATUSES.has(status)) return undefined;
  const { location } = headers;
  if (typeof location !== 'string' || location === '')
    return { stay: 'it has no location, or several.' };
  const target = readLocation(location, request.url);
  if ('violation' in target) return { stay: `its location ${target.violation.message}.` };
  if (asked.length > MAX_REDIRECTS) return { stay: `it is more than ${MAX_REDIRECTS} redirects.` };

  const refused = refusalOf(target, sandbox);
  if (refused !== undefined) return { stay: refused };
  const { url } = target;
  if (request.url.protocol === 'https:' && url.protocol === 'http:')
    return { stay: 'it leads from https to http.' };
  const next = { ...rewriteMethod(request, status), url };
  if (asked.some((each) => onWire(each) === onWire(next)))
    return { stay: `it leads back to where ${next.method} was sent already.` };
  if (url.origin === request.url.origin) return { follow: next };
  if (next.body !== undefined) return { stay: 'it would send the body to another origin.' };
  return {
    follow: {
      ...next,
      headers: new Map([...next.headers].filter(([name]) => CROSS_ORIGIN_HEADERS.has(name))),
    },
  };
}

/** What goes onto the wire of the method and the URL. */
function onWire({ method, url }: WireRequest): string {
  return `${method} ${url.origin}${url.pathname}${url.search}`;
}

function refusalOf(target: Target, sandbox: Sandbox): string | undefined {
  try {
    admitTarget(target, sandbox);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

/**
 * As the Fetch standard has it: 303 becomes GET, and so does POST on 301 and 302; the
 * body is dropped then.
 */
function rewriteMethod(request: OutboundRequest, status: number): OutboundRequest {
  const { method } = request;
  const rewritten =
    (status === 303 && method !== 'GET' && method !== 'HEAD') ||
    (status < 303 && method === 'POST');
  if (!rewritten) return request;
  const headers = new Map([...request.headers].filter(([name]) => !name.startsWith('content-')));
  return { ...request, method: 'GET', headers, body: undefined };
}
