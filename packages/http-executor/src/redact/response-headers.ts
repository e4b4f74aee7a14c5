import type { ResponseHeaders } from '@gatehouse/contracts';
import { latin1ToUtf8 } from '../text.ts';
import { REDACTED } from './scrub.ts';

/** Patterns for names of credential headers, in lower case and with `-` in place of `_`. */
const CREDENTIAL_NAMES = [
  /authorization/,
  /^x-auth-|(?:^|-)auth$/,
  /cookie/,
  /api-?key|(?:access|app|auth|license|pass|private)key/,
  /(?:^|-)key$/,
  /token/,
  /jwt|assertion|secret|session|credential/,
  /csrf|xsrf/,
  /signature|(?:^|-)(?:sign|sig|hmac)(?:-|$)/,
  /passw(?:or)?d|passphrase|passcode|(?:^|-)pwd(?:-|$)/,
  /one-time|(?:sms|verification)-code|(?:^|-)(?:otp|totp|mfa|2fa|pin)(?:-|$)/,
  /(?:^|-)(?:authentication|bearer|dpop)$/,
  /^x-(?:honeycomb-team|jfrog-art-api|wsse)$/,
];

/** Names that match `CREDENTIAL_NAMES`, but whose headers hold counts, ids or page tokens. */
const SHOWN_NAMES = [
  /^access-control-/,
  /rate-?limit/,
  /-(?:counts?|limits?|remaining|reset|usage|used)$/,
  /(?:^|-)(?:limit|remaining)-tokens$/,
  /(?:^|-)(?:num|input|output|prompt|completion|reasoning|generated|cached|usage|max|total)-tokens$/,
  /(?:^|-)(?:next|(?:next)?page|paging|pagination|continuation|cursor|resume|sync)-?token$/,
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

export interface HeaderSettings {
  /** `strict` shows only safe response headers and those in `shownHeaders`. */
  readonly headerMode: 'all' | 'strict';
  readonly redactedHeaders: readonly string[];
  readonly shownHeaders: readonly string[];
}

const SAFE_HEADER = anyOf([
  /^(?:x-)?ratelimit/,
  /^(?:accept-ranges|age|allow|cache-control|content-(?:encoding|language|length|range|type))$/,
  /^(?:date|deprecation|etag|expires|last-modified|link|location|retry-after|sunset|vary)$/,
  /^(?:x-correlation-id|x-request-id|x-total-count)$/,
]);

export interface RedactionRules {
  readonly isCredential: (name: string) => boolean;
  readonly isShown: (name: string) => boolean;
}

/** Decides which headers to remove or show as `REDACTED`. `redactedHeaders` has priority. */
export function redactionRules({
  headerMode = 'all',
  redactedHeaders = [],
  shownHeaders = [],
}: Partial<HeaderSettings> = {}): RedactionRules {
  const setOf = (names: readonly string[]) => new Set(names.map((name) => name.toLowerCase()));
  const [maskedNames, shownNames] = [setOf(redactedHeaders), setOf(shownHeaders)];
  return {
    isCredential: (name) => {
      const lower = name.toLowerCase();
      if (maskedNames.has(lower)) return true;
      if (shownNames.has(lower)) return false;
      const words = lower.replaceAll('_', '-');
      return CREDENTIAL_NAME.test(words) && !SHOWN_NAME.test(words);
    },
    isShown: (name) => headerMode === 'all' || SAFE_HEADER.test(name) || shownNames.has(name),
  };
}

export function maskHeaders(headers: ResponseHeaders, rules: RedactionRules): ResponseHeaders {
  const decoded = (value: string) =>
    NON_ASCII.test(value) ? (latin1ToUtf8(value) ?? value) : value;
  const masked = { ...headers };
  for (const name of Object.keys(headers)) {
    const value = headers[name] ?? '';
    if (!rules.isShown(name)) delete masked[name];
    else if (rules.isCredential(name)) masked[name] = REDACTED;
    else masked[name] = Array.isArray(value) ? value.map(decoded) : decoded(value);
  }
  return masked;
}

const NON_ASCII = /[^\0-\x7f]/;
