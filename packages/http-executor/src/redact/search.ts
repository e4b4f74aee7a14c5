import type { EncodedPart, Spelling } from './spellings.ts';
import { LEVELS, originsOf, unescapeOnce } from './unescape.ts';
import { isEncodedByItself, standsByItself } from './word-boundaries.ts';

export type Span = readonly [start: number, end: number];

/** A prepared search for secrets in texts, which are UTF-8 bytes in latin1. */
export interface Search {
  readonly spellings: readonly Spelling[];
  /** Escapes that may hide a spelling; a text without any is searched once. */
  readonly escapes: RegExp;
}

/** Longer spellings are found by this beginning, which keeps the search linear. */
const BEGINNING = 24;

/** A text holds so many secrets that their places would take too much memory. */
export class TooManyEchoes extends Error {
  override readonly name = 'TooManyEchoes';
}
const MAX_ECHOES = 100_000;

export function prepareSearch(spellings: readonly Spelling[]): Search {
  const holds = (pattern: RegExp) => spellings.some(({ text }) => pattern.test(text));
  const escapes = ['%[\\da-f]{2}', '\\\\[ux]', '&#', '&[a-z][a-z\\d]+;'];
  if (holds(/\//)) escapes.push('\\\\/', '~1');
  if (holds(/~/)) escapes.push('~0');
  // `\n` ends in a letter, and a short spelling must not follow one.
  if (holds(/["'\\]|[\0-\x1f]/) || spellings.some(({ anywhere }) => !anywhere))
    escapes.push('\\\\');
  return { spellings, escapes: new RegExp(escapes.join('|'), 'i') };
}

/**
 * Where secrets stand in a text, escaped or not; ascending by start, overlaps included.
 * @throws {TooManyEchoes}
 */
export function findSecrets(search: Search, text: string): Span[] {
  const variants = unescapedVariants(search, text);
  const spans = variants.flatMap((variant, level) =>
    inOriginal(findSpellings(search.spellings, variant), variants.slice(0, level)),
  );
  return spans.sort(byStart);
}

export const byStart = ([a]: Span, [b]: Span) => a - b;

/** Where the beginning of a secret stands at the end of a cut text; its length: nowhere. */
export function findBeginningAtEnd(search: Search, text: string): number {
  const variants = unescapedVariants(search, text);
  const starts = variants.map((variant, level) => {
    const start = beginningAtEnd(search.spellings, variant);
    const [span] = inOriginal([[start, start]], variants.slice(0, level));
    return span?.[0] ?? 0;
  });
  return Math.min(...starts);
}

/** The text, then each time with one more level of escapes undone. */
function unescapedVariants({ escapes }: Search, text: string): string[] {
  const variants = [text];
  for (let variant = text; variants.length <= LEVELS && escapes.test(variant); ) {
    const next = unescapeOnce(variant);
    variants.push(next);
    variant = next;
  }
  return variants;
}

/** Maps spans of a variant back to the text, through the variants before it. */
function inOriginal(spans: readonly Span[], earlier: readonly string[]): Span[] {
  const positions = [...new Set(spans.flat())].sort((a, b) => a - b);
  const origins = earlier.reduceRight((at, variant) => originsOf(variant, at), positions);
  const known = new Map(positions.map((position, index) => [position, origins[index] ?? 0]));
  return spans.map(([start, end]) => [known.get(start) ?? 0, known.get(end) ?? 0]);
}

/** After so many comparisons the next candidate counts as a beginning. */
const MAX_COMPARED_ENDS = 512;

function beginningAtEnd(spellings: readonly Spelling[], text: string): number {
  let cutAt = text.length;
  const lower = text.toLowerCase();
  for (const { text: spelling, anywhere } of spellings) {
    const searched = anywhere ? lower : text;
    const first = spelling.charAt(0);
    const from = Math.max(0, text.length - spelling.length);
    let compared = 0;
    for (let at = searched.indexOf(first, from); at !== -1 && at < cutAt; ) {
      compared += 1;
      if (compared > MAX_COMPARED_ENDS || spelling.startsWith(searched.slice(at))) cutAt = at;
      at = searched.indexOf(first, at + 1);
    }
  }
  return cutAt;
}

/** Characters that may be compared behind beginnings: per character of the text, and at least. */
const COMPARED_EACH = 64;
const COMPARED_ALWAYS = 65_536;

/** Spellings whose neighbours are looked up; a further one counts as standing by itself. */
const MAX_NEIGHBOURS = 4_096;

interface Budget {
  characters: number;
  neighbours: number;
}

/**
 * Where secrets stand without any escape. INVARIANT: takes time linear in the text,
 * whatever the secret: comparisons have a budget; once it is used up, a beginning counts
 * as the secret.
 * @throws {TooManyEchoes}
 */
export function findSpellings(spellings: readonly Spelling[], text: string): Span[] {
  const spans: Span[] = [];
  const lower = text.toLowerCase();
  const budget = {
    characters: COMPARED_EACH * text.length + COMPARED_ALWAYS,
    neighbours: MAX_NEIGHBOURS,
  };
  for (const spelling of spellings)
    findSpelling(spelling, spelling.anywhere ? lower : text, budget, spans);
  return spans;
}

function findSpelling(
  { text: spelling, anywhere, encoded }: Spelling,
  text: string,
  budget: Budget,
  spans: Span[],
): void {
  const beginning = spelling.slice(0, BEGINNING);
  for (let at = text.indexOf(beginning); at !== -1; ) {
    budget.characters -= spelling.length;
    const wanted = budget.characters < 0 ? beginning : spelling;
    const found = text.startsWith(wanted, at);
    const end = at + wanted.length;
    const counts = found && (anywhere || isByItself(text, [at, end], encoded, budget));
    if (counts) spans.push([at, end]);
    if (spans.length > MAX_ECHOES) throw new TooManyEchoes();
    at = text.indexOf(beginning, found ? end : at + 1);
  }
}

function isByItself(
  text: string,
  [start, end]: Span,
  encoded: EncodedPart | undefined,
  budget: Budget,
): boolean {
  // The cheap test, which most parts of words fail.
  if (encoded === undefined && /\w/.test(text.charAt(end))) return false;
  budget.neighbours -= 1;
  if (budget.neighbours < 0) return true;
  return encoded ? isEncodedByItself(text, start, end, encoded) : standsByItself(text, start, end);
}
