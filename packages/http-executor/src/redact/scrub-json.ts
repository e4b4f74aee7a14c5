import { JsonScanner, Token } from '@gatehouse/json-text';
import { mergeOverlaps, REDACTED, replaceSpans, type Scrubbed } from './scrub.ts';
import { byStart, findSecrets, type Search, type Span } from './search.ts';
import { unescapeOnce } from './unescape.ts';

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
    const places = spansInToken(token, scanner, found.slice(from, next), text);
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
  return token === Token.Key ? names.replacementFor(scanner, places) : REDACTED;
}

/** Where to replace in a token: inside the quotes of a string, or a whole number. */
function spansInToken(
  token: Token,
  { start, end }: JsonScanner,
  spans: readonly Span[],
  text: string,
): readonly Span[] {
  if (token === Token.Number)
    return spans.filter(([from, to]) => from === start && to === end).slice(0, 1);
  const inside = spans.filter(([from, to]) => from > start && to < end);
  const torn = tornEscapes(text.slice(start, end), start, new Set(inside.flat()));
  return mergeOverlaps([...inside, ...torn].sort(byStart));
}

/** The escapes of a string that would be cut apart; what is left of one is no JSON. */
function tornEscapes(string: string, offset: number, cuts: ReadonlySet<number>): Span[] {
  return [...string.matchAll(/\\(?:u.{4}|.)/g)]
    .map(({ 0: found, index }): Span => [offset + index, offset + index + found.length])
    .filter(([start, end]) => {
      for (let at = start + 1; at < end; at++) if (cuts.has(at)) return true;
      return false;
    });
}

/** Replacements in names of members, so that no two members of an object become one. */
class ScrubbedNames {
  readonly #text: string;
  #first: number | undefined;
  /** By depth, the scrubbed names of the object, each with the next number to try. */
  readonly #taken: Map<string, number>[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  enter(depth: number): void {
    this.#taken[depth] = new Map();
  }

  /** `REDACTED`, or `REDACTED_2` and so on where the object has that name already. */
  replacementFor({ start, end, depth }: JsonScanner, places: readonly Span[]): string {
    const taken = this.#taken[depth] ?? new Map<string, number>();
    const name = this.#text.slice(start, end);
    const inName = places.map(([from, to]) => [from - start, to - start] as const);
    const nameWith = (replacement: string) => readName(replaceSpans(name, inName, replacement));
    this.#first ??= firstFreeNumber(this.#text);
    const plain = nameWith(REDACTED);
    for (let number = taken.get(plain) ?? this.#first; ; number++) {
      const replacement = number === 1 ? REDACTED : `${REDACTED}_${number}`;
      const scrubbed = nameWith(replacement);
      if (taken.has(scrubbed)) continue;
      taken.set(scrubbed, this.#first);
      taken.set(plain, number + 1);
      return replacement;
    }
  }
}

/** What a name is once it is parsed, which names are compared by. */
function readName(json: string): string {
  return JSON.parse(Buffer.from(json, 'latin1').toString());
}

/** The lowest number that the document never has behind `REDACTED_`; 1: none is needed. */
function firstFreeNumber(text: string): number {
  let first = 1;
  for (const [, number = '1'] of unescapeOnce(text).matchAll(/REDACTED(?:_(\d{1,9}))?/g))
    first = Math.max(first, Number(number) + 1);
  return first;
}
