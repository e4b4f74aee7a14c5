import { findSecrets, longestEcho, type Search, type Span } from './search.ts';

export const REDACTED = 'REDACTED';

/** What is left without its secrets, and how many there were. */
export interface Scrubbed<T> {
  readonly result: T;
  readonly redactions: number;
}

/**
 * Scrubs text in UTF-8. If it was cut off, its end goes as well, because it may be the beginning
 * of a secret.
 * @throws {SearchStopped}
 */
export function scrubText(
  search: Search | undefined,
  utf8: Buffer,
  cut: boolean,
): Scrubbed<string> {
  const unsure = cut && search !== undefined ? longestEcho(search) : 0;
  const whole = utf8.subarray(0, Math.max(0, utf8.length - unsure));
  const { result, redactions } = scrubBytes(search, whole);
  return { result: result.toString(), redactions };
}

/**
 * Scrubs bytes of any kind.
 * @throws {SearchStopped}
 */
export function scrubBytes(search: Search | undefined, bytes: Buffer): Scrubbed<Buffer> {
  const spans = search === undefined ? [] : findSecrets(search, bytes);
  return { result: replaceSpans(bytes, spans, REDACTED), redactions: spans.length };
}

/** A copy with these spans replaced, or the bytes themselves if there are none. */
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
