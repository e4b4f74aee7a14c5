import { findBeginningAtEnd, findSecrets, type Span } from './search.ts';
import type { Search } from './spellings.ts';

export const REDACTED = 'REDACTED';

/** What is left without its secrets, and how many there were. */
export interface Scrubbed<T> {
  readonly result: T;
  readonly redactions: number;
}

const MAX_SENTENCE_CHARS = 8 * 1024;

/**
 * Scrubs a sentence, of which at most 8 KiB are kept.
 * @throws {SearchStopped}
 */
export function scrubSentence(search: Search | undefined, sentence: string): Scrubbed<string> {
  const part = sentence.slice(0, MAX_SENTENCE_CHARS);
  return scrubText(search, Buffer.from(part), part.length < sentence.length);
}

/**
 * Scrubs text in UTF-8. If it was cut off, the beginning of a secret at its end goes, too.
 * @throws {SearchStopped}
 */
export function scrubText(
  search: Search | undefined,
  utf8: Buffer,
  cut: boolean,
): Scrubbed<string> {
  const whole = cut && search !== undefined ? withoutBeginning(search, utf8) : utf8;
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

function withoutBeginning(search: Search, text: Buffer): Buffer {
  const end =
    UNFINISHED_ESCAPE.exec(text.subarray(-MAX_UNFINISHED).toString('latin1'))?.[0].length ?? 0;
  const whole = text.subarray(0, text.length - end);
  return whole.subarray(0, findBeginningAtEnd(search, whole));
}

const UNFINISHED_ESCAPE = /(?:%[\da-f]?|\\(?:u[\da-f]{0,3})?)$/i;
const MAX_UNFINISHED = '\\u000'.length;

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
