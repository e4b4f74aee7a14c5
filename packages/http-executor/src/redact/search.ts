import type { EncodedPart, Spelling } from './spellings.ts';
import { originsOf, unescapeOnce } from './unescape.ts';

export type Span = readonly [start: number, end: number];

/** A prepared search for secrets in texts, which are UTF-8 bytes in latin1. */
export interface Search {
  readonly spellings: readonly Spelling[];
  /**
   * Escapes that may stand for a character of a spelling; a text without any is read
   * once, as it stands.
   */
  readonly escapes: RegExp;
}

/**
 * Longer ones are searched for by their beginning: a search that compares much at each
 * place could be made slow.
 */
const BEGINNING = 24;

/** How often escapes are undone, as in JSON within JSON. */
const LEVELS = 3;

/**
 * Thrown for a text that holds secrets so often that their places alone would take too
 * much memory.
 */
export class TooManyEchoes extends Error {
  override readonly name = 'TooManyEchoes';
}
const MAX_ECHOES = 100_000;

export function prepareSearch(spellings: readonly Spelling[]): Search {
  const holds = (pattern: RegExp) => spellings.some(({ text }) => pattern.test(text));
  const escapes = ['%[\\da-f]{2}', '\\\\[ux]', '&#', '&[a-z][a-z\\d]+;'];
  if (holds(/\//)) escapes.push('\\\\/', '~1');
  if (holds(/~/)) escapes.push('~0');
  // Behind `\n` a spelling stands by itself, though a letter is before it.
  if (holds(/["'\\]|[\0-\x1f]/) || spellings.some(({ anywhere }) => !anywhere))
    escapes.push('\\\\');
  return { spellings, escapes: new RegExp(escapes.join('|'), 'i') };
}

/**
 * Where secrets stand in a text, as it is written and as its escapes read; ascending by
 * start, overlaps included. Throws `TooManyEchoes`.
 */
export function findSecrets(search: Search, text: string): Span[] {
  // As most are.
  if (!search.escapes.test(text)) return findSpellings(search.spellings, text).sort(byStart);
  const readings = readingsOf(search, text);
  const spans = readings.flatMap((reading, level) => {
    const found = findSpellings(search.spellings, reading);
    return found.length === 0 ? found : inOriginal(found, readings.slice(0, level));
  });
  return spans.sort(byStart);
}

const byStart = ([a]: Span, [b]: Span) => a - b;

/**
 * Where the beginning of a secret stands at the very end of a text that was cut off; its
 * length when there is none.
 */
export function findBeginningAtEnd(search: Search, text: string): number {
  const readings = readingsOf(search, text);
  const starts = readings.map((reading, level) => {
    const end = reading.length;
    const start = beginningAtEnd(search.spellings, reading);
    const [origin] = start === end ? [] : inOriginal([[start, end]], readings.slice(0, level));
    return origin?.[0] ?? text.length;
  });
  return Math.min(...starts);
}

/**
 * The text, and as often as there are escapes left that matter, what the one before reads
 * when they are undone.
 */
function readingsOf({ escapes }: Search, text: string): string[] {
  const readings = [text];
  for (let reading = text; readings.length <= LEVELS && escapes.test(reading); ) {
    const next = unescapeOnce(reading);
    if (next === reading) break;
    readings.push(next);
    reading = next;
  }
  return readings;
}

/**
 * Brings spans of a reading back to the text, through the readings before it, the text
 * itself first.
 */
function inOriginal(spans: readonly Span[], readings: readonly string[]): Span[] {
  let positions = [...new Set(spans.flat())].sort((a, b) => a - b);
  const known = new Map(positions.map((position, index) => [position, index]));
  for (const reading of readings.toReversed()) positions = originsOf(reading, positions);
  const origin = (position: number) => positions[known.get(position) ?? -1] ?? 0;
  return spans.map(([start, end]) => [origin(start), origin(end)]);
}

/**
 * A text whose end might be so many beginnings of a spelling loses the rest of them
 * untried.
 */
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

/**
 * How many characters may be compared behind beginnings, for each character of the text
 * and in any case.
 */
const COMPARED_EACH = 64;
const COMPARED_ALWAYS = 65_536;

/**
 * How often in a text it is looked up what stands beside a spelling; after that, it
 * counts as standing by itself.
 */
const MAX_NEIGHBOURS = 4_096;

interface Budget {
  characters: number;
  neighbours: number;
}

/**
 * INVARIANT: takes time linear in the text, though a caller chooses the secret and an
 * upstream the text. What follows a beginning is compared within a budget; when that is
 * used up, a beginning counts as the secret.
 */
function findSpellings(spellings: readonly Spelling[], text: string): Span[] {
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
    const found = wanted === beginning || text.startsWith(wanted, at);
    const end = at + wanted.length;
    const counts = found && (anywhere || isByItself(text, [at, end], encoded, budget));
    if (counts) spans.push([at, end]);
    if (spans.length > MAX_ECHOES) throw new TooManyEchoes();
    at = text.indexOf(beginning, found ? end : at + 1);
  }
}

/** Most places in which a spelling is part of a word are told by the next character. */
function isByItself(
  text: string,
  [start, end]: Span,
  encoded: EncodedPart | undefined,
  budget: Budget,
): boolean {
  if (encoded === undefined && /\w/.test(text.charAt(end))) return false;
  budget.neighbours -= 1;
  if (budget.neighbours < 0) return true;
  return encoded ? isEncodedByItself(text, start, end, encoded) : standsByItself(text, start, end);
}

/**
 * How much around a spelling is read to know its neighbours: a character in several
 * levels of escapes.
 */
const AROUND = 32;

/**
 * Whether no letter, digit or `_` is beside a spelling, once escapes around it are
 * undone.
 */
function standsByItself(text: string, start: number, end: number): boolean {
  const before = charactersIn(text.slice(Math.max(0, start - AROUND), start));
  const behind = charactersIn(text.slice(end, end + AROUND));
  return !WORD_AT_END.test(before) && !WORD_AT_START.test(behind);
}

const WORD_AT_END = /[\p{L}\p{N}_]$/u;
const WORD_AT_START = /^[\p{L}\p{N}_]/u;

function charactersIn(bytes: string): string {
  let reading = bytes;
  for (let level = 0; level < LEVELS; level++) reading = unescapeOnce(reading);
  return Buffer.from(reading, 'latin1').toString();
}

/** The same for a part of base64, judged by what the characters around it encode. */
function isEncodedByItself(
  text: string,
  start: number,
  end: number,
  { secret, skipped }: EncodedPart,
): boolean {
  const group = start - skipped;
  const before =
    /[\w+/-]*$/.exec(text.slice(Math.max(0, group - GROUP), group))?.[0].length === GROUP
      ? GROUP
      : 0;
  const [behind = ''] = /^[\w+/-]*/.exec(text.slice(end, end + 2 * GROUP)) ?? [];
  const decoded = Buffer.from(text.slice(group - before, end) + behind, 'base64').toString(
    'latin1',
  );
  const at = decoded.indexOf(secret);
  return at !== -1 && standsByItself(decoded, at, at + secret.length);
}

/** Four characters of base64 are three octets. */
const GROUP = 4;
