import type { ResponseHeaders } from '@gatehouse/contracts';
import { credentialHeaders, credentialSpellings, type IsCredentialHeader } from './credentials.ts';
import { literalMatcher, type Replaced } from './literal-matcher.ts';

export const REDACTED = 'REDACTED';

/** The single way out: whatever an upstream said passes through here before a caller sees it. */
export interface Redactor {
  text(text: string): string;
  /** Text that was cut off somewhere, perhaps in the midst of a credential: what may be the beginning of one goes. */
  cutText(text: string): string;
  /** Any JSON value; keys and strings are scrubbed at every level. */
  value(value: unknown): unknown;
  /** Credential headers are masked, the others scrubbed. */
  headers(headers: ResponseHeaders): ResponseHeaders;
  /** How many echoed credentials were scrubbed so far. */
  count(): number;
}

/** Which headers show as what. */
export interface RedactionRules {
  readonly isCredential: IsCredentialHeader;
  /** In strict mode only these response headers appear at all. */
  readonly isShown: (name: string) => boolean;
}

/** `HTTP_EXECUTOR_HEADER_MODE=strict` shows these and names that begin with `x-ratelimit-` or `ratelimit`. */
const SAFE_HEADERS: ReadonlySet<string> = new Set(
  (
    'accept-ranges age allow cache-control content-encoding content-language content-length content-range content-type ' +
    'date deprecation etag expires last-modified link location retry-after sunset vary x-correlation-id x-request-id ' +
    'x-total-count'
  ).split(' '),
);

/** The rules by the settings `HTTP_EXECUTOR_HEADER_MODE` and `HTTP_EXECUTOR_REDACTED_HEADERS`. */
export function redactionRules(mode: 'all' | 'strict', additionalNames: readonly string[]): RedactionRules {
  const isSafe = (name: string) => SAFE_HEADERS.has(name) || /^(?:x-)?ratelimit/.test(name);
  return { isCredential: credentialHeaders(additionalNames), isShown: mode === 'all' ? () => true : isSafe };
}

/** A redactor that knows the credentials of one request. */
export function createRedactor(
  requestHeaders: ReadonlyMap<string, string>,
  { isCredential, isShown }: RedactionRules,
): Redactor {
  const spellings = credentialSpellings(requestHeaders, isCredential);
  const match = spellings.length === 0 ? undefined : literalMatcher(spellings);
  let count = 0;
  const counted = (scrubbed: Replaced): string => {
    count += scrubbed.count;
    return scrubbed.text;
  };
  const text = (input: string): string => (match === undefined ? input : counted(match.replace(input, REDACTED)));
  const cutText = (input: string): string =>
    match === undefined ? input : counted(match.replaceInCut(input, REDACTED));
  const value = (input: unknown): unknown => {
    if (match === undefined) return input;
    if (typeof input === 'string') return text(input);
    if (typeof input === 'number') return scrubNumber(input);
    if (Array.isArray(input)) return input.map(value);
    if (typeof input !== 'object' || input === null) return input;
    return members(input);
  };
  /** The object itself where there was nothing to scrub: building it anew takes several times as long as searching it. */
  const members = (input: object): object => {
    const entries: [string, unknown][] = Object.entries(input);
    let scrubbed = false;
    for (const entry of entries) {
      const [key, member] = entry;
      entry[0] = text(key);
      entry[1] = value(member);
      scrubbed ||= entry[0] !== key || entry[1] !== member;
    }
    // `fromEntries` defines own members, so that a `__proto__` key of the upstream stays a harmless member.
    return scrubbed ? Object.fromEntries(entries) : input;
  };
  /** A numeric credential may come back as a number. */
  const scrubNumber = (input: number): unknown => {
    const shown = String(input);
    const scrubbed = text(shown);
    return scrubbed === shown ? input : scrubbed;
  };
  const scrub = (held: string | string[]) => (Array.isArray(held) ? held.map(text) : text(held));
  const headers = (input: ResponseHeaders): ResponseHeaders => {
    const shown: [string, string | string[]][] = [];
    for (const [name, held] of Object.entries(input)) {
      if (isShown(name)) shown.push([text(name), isCredential(name) ? REDACTED : scrub(held)]);
    }
    return Object.fromEntries(shown);
  };
  return { text, cutText, value, headers, count: () => count };
}
