import { credentialHeaders } from './header-names.ts';
import type { RedactionRules } from './redactor.ts';

/** `strict` shows only response headers that are known to be harmless. */
export type HeaderMode = 'all' | 'strict';

/** Shown in strict mode, with `x-ratelimit-…` and `ratelimit…`. */
const SAFE_HEADERS: ReadonlySet<string> = new Set(
  (
    'accept-ranges age allow cache-control content-encoding content-language content-length content-range content-type ' +
    'date deprecation etag expires last-modified link location retry-after sunset vary x-correlation-id x-request-id ' +
    'x-total-count'
  ).split(' '),
);

/** The rules of a mode, and of the names that an operator masks or shows. */
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
