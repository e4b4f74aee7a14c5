import { failure, type Result, success } from '../result.ts';

/** Matches what servers may read as a separator, as a dot segment or as the end of the path. */
const AMBIGUOUS = /%(?:2[35ef]|3[bf]|5c)|[\\;]|\/\/|(?:^|\/)\.\.?(?:\/|$)/i;

/**
 * True if two servers could read a path differently (docs/destinations.md, "Which destination
 * matches"). Also true for control characters, and for percent-encoded bytes that are malformed or
 * not UTF-8.
 */
export function isAmbiguousPath(path: string): boolean {
  if (AMBIGUOUS.test(path)) return true;
  try {
    return /\p{Cc}/u.test(decodeURIComponent(path));
  } catch {
    return true;
  }
}

/** Splits a path into segments, and decodes unreserved characters (RFC 3986, section 6.2.2.2). */
export function segmentsOf(path: string): readonly string[] {
  const decoded = path.replace(/%[\da-f]{2}/gi, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : escaped.toUpperCase();
  });
  return decoded.split('/');
}

/** Returns true for the segments of a path that matches the pattern. */
export type PathPattern = (segments: readonly string[]) => boolean;

/** Parses a path pattern. The reason for a failure reads like "must begin with `/`". */
export function parsePath(text: string): Result<PathPattern> {
  if (!text.startsWith('/')) return failure('must begin with `/`');

  if (/[?#\s\p{Cc}]/u.test(text)) return failure('must not contain `?`, `#` or spaces');

  if (isAmbiguousPath(text))
    return failure(
      'must not contain `//`, `;`, backslashes, dot segments, or their percent-encoded forms',
    );

  const anyRest = text.endsWith('/**');
  const path = anyRest ? text.slice(0, -'/**'.length) : text;
  if (path.includes('**')) return failure('may contain `**` only as its last segment');

  // The URL parser percent-encodes characters such as `é`, as it does in the URL of a request.
  const encoded = path === '' ? '' : new URL(`http://host${path}`).pathname;
  const patterns = segmentsOf(encoded).map((segment) => segment.split('*'));
  return success((segments) => {
    const { length } = patterns;
    // Only the last segment can be empty, because `//` makes a path ambiguous.
    const isLong = anyRest ? (segments[length] ?? '') !== '' : segments.length === length;
    return isLong && patterns.every((literals, at) => segmentMatches(literals, segments[at] ?? ''));
  });
}

/**
 * True if `text` matches a segment such as `a*b`, split at its asterisks. Each asterisk matches at
 * least one character. Taking the earliest place for each literal needs no backtracking.
 */
function segmentMatches(literals: readonly string[], text: string): boolean {
  const [first = '', ...others] = literals;
  const last = others.pop();
  if (last === undefined) return text === first;

  if (!text.startsWith(first) || !text.endsWith(last)) return false;

  let end = first.length;
  for (const literal of others) {
    const at = text.indexOf(literal, end + 1);
    if (at === -1) return false;

    end = at + literal.length;
  }
  return text.length - last.length > end;
}
