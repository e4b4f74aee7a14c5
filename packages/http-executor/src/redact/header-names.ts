/** Names of credential headers. Names are matched in lower case, with `_` replaced by `-`. */
const CREDENTIAL_NAMES = [
  /authorization/,
  /^(?:x-)?authentication$/,
  /^x-auth-|(?:^|-)auth$/,
  /cookie/,
  /api-?key/,
  /(?:^|-)key$/,
  /token/,
  /jwt|assertion|secret|session|credential/,
  /csrf|xsrf/,
  /signature|(?:^|-)(?:sign|sig|hmac)(?:-|$)/,
  /passw(?:or)?d|passphrase|passcode|(?:^|-)pwd(?:-|$)/,
  /one-time|(?:^|-)(?:otp|totp|mfa|2fa|pin)(?:-|$)/,
  /(?:^|-)(?:bearer|dpop)$/,
  /^x-honeycomb-team$/,
];

/**
 * Exceptions to `CREDENTIAL_NAMES`. These headers contain counts, ids, page tokens, permissions or
 * facts about a credential, but no credential.
 */
const SHOWN_NAMES = [
  /^access-control-/,
  /rate-?limit/,
  /-(?:counts?|limits?|remaining|reset|usage|used)$/,
  /(?:^|-)(?:limit|remaining)-tokens$/,
  /(?:^|-)(?:num|input|output|prompt|completion|generated|cached|max|total)-tokens$/,
  /(?:^|-)(?:next|page|paging|pagination|continuation|cursor|resume|sync)-?token$/,
  /(?:^|-)(?:idempotency|surrogate|cache|partition|routing|sort|deduplication)-key$/,
  /-(?:expir(?:es?|ed|y|ation)|expires-in|ttl|type|algorithm|timestamp|nonce|version|method)$/,
  /-(?:status|outcome|policy|scanning|required|consent|scopes?|hint|input|fields)$/,
  /-(?:users?|username|email|realm|name)$/,
  /(?<!session|secret)-id$/,
];

const anyOf = (patterns: readonly RegExp[]) =>
  new RegExp(patterns.map(({ source }) => source).join('|'));
const CREDENTIAL_NAME = anyOf(CREDENTIAL_NAMES);
const SHOWN_NAME = anyOf(SHOWN_NAMES);

export type IsCredentialHeader = (name: string) => boolean;

/**
 * Returns a test of header names. It checks the names that a setting masks, then those that a
 * setting shows, and then the patterns.
 */
function credentialHeaders(
  masked: readonly string[],
  shown: readonly string[],
): IsCredentialHeader {
  const bySetting = new Map([
    ...shown.map((name) => [name.toLowerCase(), false] as const),
    ...masked.map((name) => [name.toLowerCase(), true] as const),
  ]);
  return (name) => {
    const lower = name.toLowerCase();
    return bySetting.get(lower) ?? isCredentialName(lower.replaceAll('_', '-'));
  };
}

function isCredentialName(name: string): boolean {
  return CREDENTIAL_NAME.test(name) && !SHOWN_NAME.test(name);
}

/** `strict` shows only harmless response headers and those that a setting names. */
export type HeaderMode = 'all' | 'strict';

/** Headers shown in strict mode, in addition to `x-ratelimit…` and `ratelimit…`. */
const SAFE_HEADERS: ReadonlySet<string> = new Set(
  (
    'accept-ranges age allow cache-control content-encoding content-language content-length content-range content-type ' +
    'date deprecation etag expires last-modified link location retry-after sunset vary x-correlation-id x-request-id ' +
    'x-total-count'
  ).split(' '),
);

export interface RedactionRules {
  readonly isCredential: IsCredentialHeader;
  readonly isShown: (name: string) => boolean;
}

export function redactionRules(
  mode: HeaderMode,
  { masked = [], shown = [] }: { masked?: readonly string[]; shown?: readonly string[] },
): RedactionRules {
  const listed = new Set(shown.map((name) => name.toLowerCase()));
  const isSafe = (name: string) =>
    SAFE_HEADERS.has(name) || listed.has(name) || /^(?:x-)?ratelimit/.test(name);
  return {
    isCredential: credentialHeaders(masked, shown),
    isShown: mode === 'all' ? () => true : isSafe,
  };
}
