import {
  byStart,
  findBeginningAtEnd,
  findSecrets,
  findSpellings,
  type Search,
  type Span,
} from './search.ts';

/**
 * Where secrets stand in a text of which nobody knows whether it is UTF-16 or UTF-32, in
 * which NULs stand between ASCII letters; ascending by start.
 * @throws {TooManyEchoes}
 */
export function findInText(search: Search, text: string): Span[] {
  return [...findSecrets(search, text), ...findBetweenNuls(search, text)].sort(byStart);
}

/** A run of text in binary data; a shorter one holds no escaped secret. */
const TEXT_RUN = /[\t\n\r\x20-\x7e]{8,}/g;

/**
 * The same in binary data, whose escapes mean something in runs of text alone.
 * @throws {TooManyEchoes}
 */
export function findInBytes(search: Search, bytes: string): Span[] {
  const found = findSpellings(search.spellings, bytes);
  for (const { 0: run, index } of bytes.matchAll(TEXT_RUN)) {
    if (!search.escapes.test(run)) continue;
    for (const [start, end] of findSecrets(search, run)) found.push([start + index, end + index]);
  }
  return [...found, ...findBetweenNuls(search, bytes)].sort(byStart);
}

function findBetweenNuls({ spellings }: Search, text: string): Span[] {
  return text.includes('\0')
    ? spansWithNuls(findSpellings(spellings, withoutNuls(text)), text)
    : [];
}

const withoutNuls = (text: string): string => text.replaceAll('\0', '');

/** Where the beginning of a secret stands at the end of a cut text; its length: nowhere. */
export function findBeginning(search: Search, text: string): number {
  const start = findBeginningAtEnd(search, text);
  if (!text.includes('\0')) return start;
  const narrow = withoutNuls(text);
  const beginning = findBeginningAtEnd(search, narrow);
  const [span] = spansWithNuls([[beginning, narrow.length]], text);
  return Math.min(start, span?.[0] ?? 0);
}

/** Maps spans of a text without its NULs back to it. */
function spansWithNuls(spans: readonly Span[], text: string): Span[] {
  // By the character before: a span begins with a letter, not with the NULs in front of it.
  const counts = spans.flatMap(([start, end]) => [start + 1, end]).sort((a, b) => a - b);
  const positions = new Map<number, number>();
  let at = 0;
  let characters = 0;
  for (const count of counts) {
    for (; characters < count; at++) if (text.charCodeAt(at) !== 0) characters += 1;
    positions.set(count, at);
  }
  const behind = (count: number) => positions.get(count) ?? 0;
  return spans.map(([start, end]) => [behind(start + 1) - 1, behind(end)]);
}
