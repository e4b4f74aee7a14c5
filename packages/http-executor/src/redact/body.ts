import { type BodyType, MAX_VIOLATION_CHARS, type Violation } from '@gatehouse/contracts';
import { shorten } from '../shorten.ts';
import { scrubBytes, scrubSentence, scrubText } from './scrub.ts';
import { scrubJson } from './scrub-json.ts';
import type { Search } from './search.ts';

/** A body of the type that was asked for, whole. */
export interface RedactedBody {
  readonly kind: BodyType;
  /** JSON: as the upstream wrote it, but for secrets, or a string of text or base64. */
  readonly bytes: Uint8Array;
  readonly violations: readonly Violation[];
  readonly redactions: number;
}

/** The beginning of a body of another type. */
export interface Excerpt {
  readonly kind: 'excerpt';
  readonly text: string;
  /** Why it is an excerpt; completes "its body is …". */
  readonly reason: string;
  readonly redactions: number;
}

/**
 * Scrubs a JSON document and its violations.
 * @throws {TooManyEchoes}
 */
export function redactJson(
  document: Buffer,
  violations: readonly Violation[],
  search: Search | undefined,
): RedactedBody {
  const { result, redactions } = scrubJson(search, document);
  return withViolations('json', result, redactions, { violations, search });
}

/**
 * Scrubs a text of any length, and writes it as a JSON string.
 * @throws {TooManyEchoes}
 */
export function redactText(
  text: string,
  violations: readonly Violation[],
  search: Search | undefined,
): RedactedBody {
  const { result, redactions } = scrubText(search, Buffer.from(text), false);
  const bytes = Buffer.from(JSON.stringify(result));
  return withViolations('text', bytes, redactions, { violations, search });
}

/**
 * Scrubs bytes, and writes them as a JSON string of base64.
 * @throws {TooManyEchoes}
 */
export function redactBase64(
  received: Buffer,
  violations: readonly Violation[],
  search: Search | undefined,
): RedactedBody {
  const { result, redactions } = scrubBytes(search, received);
  return withViolations('base64', quotedBase64(result), redactions, { violations, search });
}

/** Base64 has nothing that JSON escapes. */
export function quotedBase64(bytes: Buffer): Buffer {
  return Buffer.from(`"${bytes.toString('base64')}"`, 'latin1');
}

function withViolations(
  kind: BodyType,
  bytes: Uint8Array,
  inBody: number,
  { violations, search }: { violations: readonly Violation[]; search: Search | undefined },
): RedactedBody {
  let redactions = inBody;
  const scrub = (sentence: string): string => {
    const clean = scrubSentence(search, sentence);
    redactions += clean.redactions;
    return clean.result;
  };
  const clean = violations.map(({ pointer, message }) => ({
    pointer: shortenAsJson(scrub(pointer)),
    message: shortenAsJson(scrub(message)),
  }));
  return { kind, bytes, violations: clean, redactions };
}

/** A control character takes six characters in JSON. */
function shortenAsJson(text: string): string {
  const short = shorten(text, MAX_VIOLATION_CHARS);
  return JSON.stringify(short).length > 2 * MAX_VIOLATION_CHARS
    ? shorten(short, MAX_VIOLATION_CHARS / 6)
    : short;
}

/** Bytes of a body of which an excerpt is shown; the excerpt is far shorter. */
export const MAX_EXCERPT_BYTES = 64 * 1024;

/**
 * Scrubs the beginning of a body, in UTF-8 if that is known; `cut`: its end is missing.
 * @throws {TooManyEchoes}
 */
export function redactExcerpt(
  bytes: Buffer,
  reason: string,
  { search, textChars, cut }: { search: Search | undefined; textChars: number; cut: boolean },
): Excerpt {
  const { result, redactions } = scrubText(search, bytes, cut);
  return { kind: 'excerpt', text: shorten(result, textChars), reason, redactions };
}
