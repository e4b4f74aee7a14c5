import { isUtf8 } from 'node:buffer';
import { JsonScanner, Token } from '@gatehouse/json-text';
import { findBeginning, findInBytes, findInText } from './bytes.ts';
import { findSecrets, type Search, type Span } from './search.ts';

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
  const spans = merged((isUtf8(bytes) ? findInText : findInBytes)(search, text));
  if (spans.length === 0) return { bytes, redactions: 0 };
  const scrubbed = replaceSpans(text, spans, REDACTED);
  return { bytes: Buffer.from(scrubbed, 'latin1'), redactions: spans.length };
}

/**
 * Scrubs a text of any kind: UTF-8 bytes in latin1, as everywhere below.
 * @throws {TooManyEchoes}
 */
export function scrubText(search: Search, text: string): Scrubbed {
  const spans = merged(findInText(search, text));
  return { text: replaceSpans(text, spans, REDACTED), redactions: spans.length };
}

/**
 * Scrubs a text that was cut off: the beginning of a secret at its end goes, too.
 * @throws {TooManyEchoes}
 */
export function scrubCutText(search: Search, text: string): Scrubbed {
  const whole = text.replace(UNFINISHED_ESCAPE, '');
  const spans = merged(findInText(search, whole));
  const cutAt = findBeginning(search, whole);
  const before = spans.filter(([start]) => start < cutAt);
  return { text: replaceSpans(whole, before, REDACTED, cutAt), redactions: before.length };
}

const UNFINISHED_ESCAPE = /(?:%[\da-f]?|\\(?:u[\da-f]{0,3}|x[\da-f]?)?|&(?:#?[a-z\d]{0,8})|~)$/i;

/**
 * Scrubs a JSON document: strings that hold a secret, and numbers that are one; the rest
 * stays byte for byte. No two members become one.
 * @throws {TooManyEchoes}
 */
export function scrubJson(search: Search, text: string): Scrubbed {
  const found = findSecrets(search, text);
  if (found.length === 0) return { text, redactions: 0 };
  const names = new ScrubbedNames(text);
  const scanner = new JsonScanner(Buffer.from(text, 'latin1'));
  const parts: string[] = [];
  let redactions = 0;
  let copied = 0;
  let next = 0;
  for (let token = scanner.next(); token !== Token.End; token = scanner.next()) {
    if (token === Token.BeginObject) names.enter(scanner.depth);
    const from = next;
    while ((found[next]?.[0] ?? Number.POSITIVE_INFINITY) < scanner.end) next += 1;
    if (from === next) continue;
    const places = placesIn(token, scanner, found.slice(from, next));
    const replacement = replacementFor(token, scanner, places, names);
    for (const [start, end] of places) {
      parts.push(text.slice(copied, start), replacement);
      copied = end;
    }
    redactions += places.length;
  }
  parts.push(text.slice(copied));
  return { text: parts.join(''), redactions };
}

function replacementFor(
  token: Token,
  scanner: JsonScanner,
  places: readonly Span[],
  names: ScrubbedNames,
): string {
  if (token === Token.Number) return `"${REDACTED}"`;
  return token === Token.Key && places.length > 0
    ? names.replacementFor(scanner, places)
    : REDACTED;
}

/** Where to replace in a token: inside the quotes of a string, or a whole number. */
function placesIn(
  token: Token,
  { start, end }: JsonScanner,
  spans: readonly Span[],
): readonly Span[] {
  if (token === Token.Number)
    return spans.filter(([from, to]) => from === start && to === end).slice(0, 1);
  if (token !== Token.String && token !== Token.Key) return [];
  return merged(spans.filter(([from, to]) => from > start && to < end));
}

/** Replacements in names of members, so that no two members of an object become one. */
class ScrubbedNames {
  readonly #text: string;
  /** The lowest number that the document never has behind `REDACTED_`; 1: none is needed. */
  readonly #first: number;
  /** By depth, the scrubbed names of the object, each with the next number to try. */
  readonly #taken: Map<string, number>[] = [];

  constructor(text: string) {
    this.#text = text;
    this.#first = 1;
    for (const [, number = '1'] of text.matchAll(/REDACTED(?:_(\d{1,9}))?/g)) {
      this.#first = Math.max(this.#first, Number(number) + 1);
    }
  }

  enter(depth: number): void {
    this.#taken[depth] = new Map();
  }

  /** `REDACTED`, or `REDACTED_2` and so on where the object has that name already. */
  replacementFor({ start, end, depth }: JsonScanner, places: readonly Span[]): string {
    const taken = this.#taken[depth] ?? new Map<string, number>();
    const name = this.#text.slice(start, end);
    const inName = places.map(([from, to]) => [from - start, to - start] as const);
    const plain = replaceSpans(name, inName, REDACTED);
    for (let number = taken.get(plain) ?? this.#first; ; number++) {
      const replacement = number === 1 ? REDACTED : `${REDACTED}_${number}`;
      const scrubbed = replaceSpans(name, inName, replacement);
      if (scrubbed !== plain && taken.has(scrubbed)) continue;
      taken.set(scrubbed, this.#first);
      taken.set(plain, number + 1);
      return replacement;
    }
  }
}

/** Spans that overlap become one. */
function merged(spans: readonly Span[]): Span[] {
  const merged: [start: number, end: number][] = [];
  for (const [start, end] of spans) {
    const last = merged.at(-1);
    if (last !== undefined && start < last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

function replaceSpans(
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
