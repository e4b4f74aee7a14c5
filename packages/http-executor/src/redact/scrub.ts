import { findSecrets, longestEcho, type Search, type Span } from './search.ts';

export const REDACTED = 'REDACTED';

export interface Scrubbed<T> {
  readonly result: T;
  readonly redactions: number;
}

/**
 * Redacts text in UTF-8. If the text was cut off, its end is removed as well, because the end may
 * be the beginning of a secret.
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

/** @throws {SearchStopped} */
export function scrubBytes(search: Search | undefined, bytes: Buffer): Scrubbed<Buffer> {
  const spans = search === undefined ? [] : findSecrets(search, bytes);
  return { result: replaceSpans(bytes, spans, REDACTED), redactions: spans.length };
}

/** Returns a copy with the spans replaced, or the same bytes if there are none. */
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
