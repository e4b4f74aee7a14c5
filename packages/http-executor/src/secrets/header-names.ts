/** Matches names of credential headers, in lower case and with `-` in place of `_`. */
const CREDENTIAL_NAME = anyOf(
  /authorization|cookie|token|jwt|assertion|secret|session|credential|signature|csrf|xsrf/,
  /api-?key|(?:access|app|auth|license|pass|private)key|passw(?:or)?d|passphrase|passcode/,
  /one-time|(?:sms|verification)-code|^x-auth-/,
  /(?:^|-)(?:auth|authentication|bearer|dpop|key)$/,
  /(?:^|-)(?:sign|sig|hmac|pwd|otp|totp|mfa|2fa|pin)(?:-|$)/,
  /^x-(?:honeycomb-team|jfrog-art-api|wsse)$/,
);

/** Matches names that `CREDENTIAL_NAME` matches too, but that hold counts, ids or page tokens. */
const HARMLESS_NAME = anyOf(
  /^access-control-|rate-?limit|(?<!session|secret)-id$/,
  /-(?:counts?|limits?|remaining|reset|usage|used)$/,
  /(?:^|-)(?:limit|remaining|num|usage|max|total)-tokens$/,
  /(?:^|-)(?:input|output|prompt|completion|reasoning|generated|cached)-tokens$/,
  /(?:^|-)(?:next|(?:next)?page|paging|pagination|continuation|cursor|resume|sync)-?token$/,
  /(?:^|-)(?:idempotency|surrogate|cache|partition|routing|sort|deduplication)-key$/,
  /-(?:expir(?:es?|ed|y|ation)|expires-in|ttl|type|algorithm|timestamp|nonce|version|method)$/,
  /-(?:status|outcome|policy|scanning|required|consent|scopes?|hint|input|fields)$/,
  /-(?:users?|username|email|realm|name)$/,
);

/** Matches names of response headers that the strict mode shows. */
const SAFE_NAME = anyOf(
  /^(?:x-)?ratelimit/,
  /^(?:accept-ranges|age|allow|cache-control|content-(?:encoding|language|length|range|type))$/,
  /^(?:date|deprecation|etag|expires|last-modified|link|location|retry-after|sunset|vary)$/,
  /^(?:x-correlation-id|x-request-id|x-total-count)$/,
);

function anyOf(...patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'));
}

export interface HeaderSettings {
  /** `strict` shows only safe response headers and those in `shownHeaders`. */
  readonly headerMode: 'all' | 'strict';
  readonly redactedHeaders: readonly string[];
  readonly shownHeaders: readonly string[];
}

export interface HeaderRules {
  /** True if the header's value is secret, in requests and in responses. */
  readonly isCredential: (name: string) => boolean;
  /** False if the response header is left out. */
  readonly isShown: (name: string) => boolean;
}

/** Decides which headers to mask or leave out. `redactedHeaders` has priority. */
export function headerRules({
  headerMode = 'all',
  redactedHeaders = [],
  shownHeaders = [],
}: Partial<HeaderSettings> = {}): HeaderRules {
  const setOf = (names: readonly string[]) => new Set(names.map((name) => name.toLowerCase()));
  const masked = setOf(redactedHeaders);
  const shown = setOf(shownHeaders);
  return {
    isCredential: (name) => {
      const lower = name.toLowerCase();
      if (masked.has(lower)) return true;
      if (shown.has(lower)) return false;
      const words = lower.replaceAll('_', '-');
      return CREDENTIAL_NAME.test(words) && !HARMLESS_NAME.test(words);
    },
    isShown: (name) => headerMode === 'all' || SAFE_NAME.test(name) || shown.has(name),
  };
}
