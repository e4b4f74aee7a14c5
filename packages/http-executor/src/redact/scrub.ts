import { MAX_VIOLATION_CHARS, type Violation } from '@gatehouse/contracts';
import { shorten } from '../text.ts';
import { MAX_ESCAPE_BYTES } from './escapes.ts';
import { findSecrets, type Span, type Spellings } from './search.ts';

/** Replaces each secret in scrubbed text. */
export const REDACTED = 'REDACTED';

export interface Tally {
  redactions: number;
}

/**
 * Redacts UTF-8 text. If the end of the text is missing (`cut` is true), drops the last bytes,
 * because they may be the beginning of a secret.
 * @throws {SearchStopped}
 */
export function scrubText(spellings: Spellings, utf8: Buffer, tally: Tally, cut = false) {
  if (!cut || spellings.length === 0) return scrubBytes(spellings, utf8, tally).toString();
  const longestEcho = MAX_ESCAPE_BYTES * Math.max(...spellings.map(({ bytes }) => bytes.length));
  const whole = utf8.subarray(0, Math.max(0, utf8.length - longestEcho));
  return scrubBytes(spellings, whole, tally).toString();
}

/** Redacts a violation and shortens its texts, especially those that need many JSON escapes. */
export function scrubViolation(violation: Violation, spellings: Spellings, tally: Tally) {
  const scrub = (text: string) => {
    const short = shorten(scrubText(spellings, Buffer.from(text), tally), MAX_VIOLATION_CHARS);
    return JSON.stringify(short).length > 2 * MAX_VIOLATION_CHARS
      ? shorten(short, MAX_VIOLATION_CHARS / 6)
      : short;
  };
  return { pointer: scrub(violation.pointer), message: scrub(violation.message) };
}

/** @throws {SearchStopped} */
export function scrubBytes(spellings: Spellings, bytes: Buffer, tally: Tally): Buffer {
  const spans = findSecrets(spellings, bytes);
  tally.redactions += spans.length;
  return replaceSpans(bytes, spans, REDACTED);
}

/** Returns a copy of `bytes` with each span replaced, or `bytes` itself if `spans` is empty. */
export function replaceSpans(bytes: Buffer, spans: readonly Span[], replacement: string): Buffer {
  if (spans.length === 0) return bytes;
  const replaced = Buffer.from(replacement);
  const parts: Buffer[] = [];
  let position = 0;
  for (const [start, end] of spans) {
    parts.push(bytes.subarray(position, start), replaced);
    position = end;
  }
  return Buffer.concat([...parts, bytes.subarray(position)]);
}
