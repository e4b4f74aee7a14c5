import { isUtf8 } from 'node:buffer';
import type { Search, Span } from './search.ts';
import { findBeginning, findInBytes, findInText } from './search-with-nuls.ts';

export const REDACTED = 'REDACTED';

/** A text without its secrets, and how many there were. */
export interface Scrubbed {
  readonly text: string;
  readonly redactions: number;
}

const MAX_SENTENCE_CHARS = 8 * 1024;

/**
 * Scrubs a sentence, of which at most 8 KiB are kept.
 * @throws {TooManyEchoes}
 */
export function scrubSentence(search: Search, sentence: string): Scrubbed {
  const part = sentence.slice(0, MAX_SENTENCE_CHARS);
  return scrubUtf8(search, Buffer.from(part), part.length < sentence.length);
}

/**
 * Scrubs text in UTF-8; `cut` says that its end is missing.
 * @throws {TooManyEchoes}
 */
export function scrubUtf8(search: Search, utf8: Buffer, cut: boolean): Scrubbed {
  const { text, redactions } = (cut ? scrubCutText : scrubText)(search, utf8.toString('latin1'));
  return { text: Buffer.from(text, 'latin1').toString(), redactions };
}

/**
 * Scrubs bytes of any kind.
 * @throws {TooManyEchoes}
 */
export function scrubBytes(search: Search, bytes: Buffer): { bytes: Buffer; redactions: number } {
  const text = bytes.toString('latin1');
  const spans = mergeOverlaps((isUtf8(bytes) ? findInText : findInBytes)(search, text));
  if (spans.length === 0) return { bytes, redactions: 0 };
  const scrubbed = replaceSpans(text, spans, REDACTED);
  return { bytes: Buffer.from(scrubbed, 'latin1'), redactions: spans.length };
}

/**
 * Scrubs a text of any kind: UTF-8 bytes in latin1, as everywhere below.
 * @throws {TooManyEchoes}
 */
export function scrubText(search: Search, text: string): Scrubbed {
  const spans = mergeOverlaps(findInText(search, text));
  return { text: replaceSpans(text, spans, REDACTED), redactions: spans.length };
}

/**
 * Scrubs a text that was cut off: the beginning of a secret at its end goes, too.
 * @throws {TooManyEchoes}
 */
export function scrubCutText(search: Search, text: string): Scrubbed {
  const whole = text.replace(UNFINISHED_ESCAPE, '');
  const spans = mergeOverlaps(findInText(search, whole));
  const cutAt = findBeginning(search, whole);
  const before = spans.filter(([start]) => start < cutAt);
  return { text: replaceSpans(whole, before, REDACTED, cutAt), redactions: before.length };
}

const UNFINISHED_ESCAPE = /(?:%[\da-f]?|\\(?:u[\da-f]{0,3}|x[\da-f]?)?|&(?:#?[a-z\d]{0,8})|~)$/i;

/** Spans that overlap become one. */
export function mergeOverlaps(spans: readonly Span[]): Span[] {
  const merged: [start: number, end: number][] = [];
  for (const [start, end] of spans) {
    const last = merged.at(-1);
    if (last !== undefined && start < last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

export function replaceSpans(
  text: string,
  spans: readonly Span[],
  replacement: string,
  until = text.length,
): string {
  let replaced = '';
  let position = 0;
  for (const [start, end] of spans) {
    replaced += text.slice(position, start) + replacement;
    position = end;
  }
  return replaced + text.slice(position, Math.max(position, until));
}
