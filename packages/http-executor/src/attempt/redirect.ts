import { failure, type Method, type Result, success, type Violation } from '@gatehouse/contracts';
import { DROPPED_CHARACTERS, readUrl, type Target } from '@gatehouse/contracts/action';
import type { AddedCredential } from '../credentials/authentication.ts';
import { credentialOf, findRoute, type Route } from '../guard/guard.ts';
import { isHeaderOf, withoutCharset } from '../guard/headers.ts';
import { findSecrets } from '../secrets/search.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { latin1ToUtf8 } from '../text.ts';
import type { ResponseHead } from '../wire.ts';

export const MAX_REDIRECTS = 5;

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);

/** Headers to keep after a redirect to another origin. Any other header could be a credential. */
const SAFE_ABROAD =
  /^(?:accept(?:-encoding|-language)?|cache-control|content-type|traceparent|tracestate|user-agent)$/;

/** One request of an attempt: the first one, or one that follows a redirect. */
export interface Hop {
  readonly method: Method;
  readonly url: URL;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string | Buffer | undefined;
  readonly route: Route;
  /** False after a redirect to another origin or destination, where no credential may be sent. */
  readonly mayAuthenticate: boolean;
  /** Decision token that allows exactly this request, so that no redirect is followed. */
  readonly decision: unknown;
}

/**
 * Resolves a redirect (docs/contract.md, "Redirects"). Returns undefined if the response is not a
 * redirect. A redirect is not followed in these cases (the first that applies is reported):
 * 1. the location is missing or malformed;
 * 2. a decision token allows only the request itself;
 * 3. a credential in its URL would go to another origin;
 * 4. there were too many redirects;
 * 5. clients differ in what they would send, because it is a 301 or 302 to a POST, for example;
 * 6. no destination allows the new request;
 * 7. the redirect switches from https to http;
 * 8. this attempt has already sent the same request, so the redirect would loop;
 * 9. the redirect would send the body to another origin.
 * No credential is sent after a redirect to another origin or destination. An action's header
 * is dropped if the new destination has a credential for that header.
 */
export async function nextHop(
  hop: Hop,
  { status, headers: { location } }: ResponseHead,
  hops: readonly Hop[],
  secretsOf: AddedCredential['secretsOf'],
): Promise<Result<Hop> | undefined> {
  if (!REDIRECT_STATUSES.has(status)) return undefined;

  if (typeof location !== 'string' || location === '')
    return failure('the response has no `location` header, or more than one.');

  const target = readLocation(location, hop);
  if (!target.ok) return failure(`its \`location\` ${target.reason.message}.`);

  if (hop.decision !== undefined)
    return failure('the decision token allows only the request itself; send a new action.');

  const { url } = target.value;
  const isAbroad = url.origin !== hop.url.origin;
  // Check this first, because the other reasons quote the host, which URLs write in lower case.
  const hosts = hops.map(({ url: { hostname } }) => hostname);
  if (isAbroad && (await redirectHasSecret(`${location} ${url.href}`, secretsOf(hosts))))
    return failure('the redirect would send a credential to another origin.');

  if (hops.length > MAX_REDIRECTS)
    return failure(`there were more than ${MAX_REDIRECTS} redirects.`);

  if (isUnclear(status, hop))
    return failure(
      `after a ${status}, some clients repeat a ${hop.method} and others send a GET; send the action to the URL in \`location\` if that is what you want.`,
    );

  const rewritten = status === 303 ? rewriteToGet(hop) : hop;
  const found = findRoute(target.value, rewritten.method, hop.route);
  if (!found.ok) return failure(found.reason.message);

  if (hop.url.protocol === 'https:' && url.protocol === 'http:')
    return failure('the redirect would switch from https to http.');

  const next = { ...withoutCredentials(rewritten, found.value, url), url, route: found.value };
  if (hops.some((each) => requestLine(each) === requestLine(next)))
    return failure(
      `the redirect would loop, because this attempt already sent ${next.method} to the URL in \`location\`.`,
    );

  return isAbroad ? leaveOrigin(next) : success(next);
}

function leaveOrigin(next: Hop): Result<Hop> {
  if (next.body !== undefined)
    return failure('the redirect would send the body to another origin.');

  return success({ ...next, headers: headersAbroad(next) });
}

/** True if clients differ in the method that they send next. */
function isUnclear(status: number, { method }: Hop): boolean {
  return status < 303 && method !== 'GET' && method !== 'HEAD';
}

async function redirectHasSecret(text: string, secrets: Secrets): Promise<boolean> {
  const found = await findSecrets(Buffer.from(text), secrets);
  return !found.ok || found.value.length > 0;
}

/** Describes a redirect for the outcome. */
export function describeRedirect(status: number, before: Hop, { method, url, ...after }: Hop) {
  const sent = [...before.headers.keys()];
  const credential = credentialOf(before.route)?.headerName;
  if (credential !== undefined && before.mayAuthenticate && !after.mayAuthenticate)
    sent.push(credential);
  return {
    status,
    method,
    url: url.href,
    dropped: sent.filter((name) => !after.headers.has(name)),
  };
}

/** Drops the headers that authenticate, unless the origin and the destination stay the same. */
function withoutCredentials(hop: Hop, route: Route, { origin }: URL): Hop {
  const isSame = origin === hop.url.origin && route.destination === hop.route.destination;
  const credential = credentialOf(route);
  const isKept = (name: string) => credential === undefined || !isHeaderOf(credential, name);
  const mayAuthenticate = hop.mayAuthenticate && isSame;
  return { ...hop, headers: filterHeaders(hop, isKept), mayAuthenticate };
}

/** Returns the method and the URL. An empty query is dropped, so `/a?` becomes `/a`. */
function requestLine({ method, url }: Hop): string {
  return `${method} ${url.origin}${url.pathname}${url.search}`;
}

/** Changes any method except HEAD to GET, and drops the body. */
function rewriteToGet(hop: Hop): Hop {
  if (hop.method === 'GET' || hop.method === 'HEAD') return hop;
  const headers = filterHeaders(hop, (name) => !name.startsWith('content-'));
  return { ...hop, method: 'GET', headers, body: undefined };
}

/** Keeps safe headers. A credential of the other origin could be hidden by an unusual charset. */
function headersAbroad(hop: Hop): ReadonlyMap<string, string> {
  const safe = filterHeaders(hop, (name) => SAFE_ABROAD.test(name));
  return safe.set('accept', withoutCharset(String(safe.get('accept'))));
}

function filterHeaders({ headers }: Hop, isKept: (name: string) => boolean) {
  return new Map([...headers].filter(([name]) => isKept(name)));
}

/** Parses a redirect's `location` as strictly as an action's URL. */
function readLocation(location: string, { url: base }: Hop): Result<Target, Violation> {
  const text = (latin1ToUtf8(location) ?? percentEncoded(location)).trim();
  if (/^[a-z][a-z\d+.-]*:/i.test(text)) return readUrl(text);
  if (text.startsWith('//')) return readUrl(`${base.protocol}${text}`);
  const target = readUrl(
    DROPPED_CHARACTERS.test(text) ? text : (URL.parse(text, base)?.href ?? text),
  );
  if (!target.ok) return target;
  return success({ ...target.value, writtenPath: text.replace(/[?#].*/s, '') });
}

/** Percent-encodes the non-ASCII bytes of a latin1 string. */
const percentEncoded = (text: string): string =>
  text.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
