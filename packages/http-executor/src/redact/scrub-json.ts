import { JsonScanner, Token } from '@gatehouse/json-text';
import { REDACTED, replaceSpans, type Scrubbed } from './scrub.ts';
import { findSecrets, MAX_ECHOES, type Span, stepsFor, tooManyEchoes } from './search.ts';
import type { Search } from './spellings.ts';

/**
 * Scrubs a JSON document in UTF-8: strings that hold a secret, and numbers that are one. The
 * rest stays byte for byte, and no two members become one.
 * @throws {SearchStopped}
 */
export function scrubJson(search: Search | undefined, document: Buffer): Scrubbed<Buffer> {
  if (search === undefined) return { result: document, redactions: 0 };
  const hidden = new HidingPlaces(search, document);
  if (!hidden.isPossible) return { result: document, redactions: 0 };
  const names = new ScrubbedNames(document);
  const scanner = new JsonScanner(document);
  const steps = stepsFor(document);
  const parts: Buffer[] = [];
  let redactions = 0;
  let copied = 0;
  for (let token = scanner.next(); token !== Token.End; token = scanner.next()) {
    if (token === Token.BeginObject) names.enter(scanner.depth);
    if (!hidden.mayBeIn(scanner)) continue;
    const written = document.subarray(scanner.start, scanner.end);
    const content = contentOf(token, written);
    // Each one is searched by itself: a secret that spans two would hide one within them.
    const spans = inToken(token, content, findSecrets(search, content, steps));
    if (spans.length === 0) continue;
    const scrubbed =
      token === Token.Key
        ? names.scrub(content, spans, scanner.depth)
        : replaceSpans(content, spans, REDACTED);
    parts.push(document.subarray(copied, scanner.start), quoted(scrubbed));
    copied = scanner.end;
    redactions += spans.length;
    if (redactions > MAX_ECHOES) throw tooManyEchoes();
  }
  if (redactions === 0) return { result: document, redactions };
  parts.push(document.subarray(copied));
  return { result: Buffer.concat(parts), redactions };
}

/**
 * Tells which tokens may hold a secret: all if one is visible in the document, otherwise those
 * with escapes. Most documents have neither, and need no scanner.
 */
class HidingPlaces {
  readonly #document: Buffer;
  readonly #isVisible: boolean;
  #nextEscape: number;

  constructor(search: Search, document: Buffer) {
    this.#document = document;
    this.#isVisible = findSecrets(search, document).length > 0;
    this.#nextEscape = document.indexOf('\\');
  }

  get isPossible(): boolean {
    return this.#isVisible || this.#nextEscape !== -1;
  }

  /** Takes the tokens in their order. */
  mayBeIn({ start, end }: JsonScanner): boolean {
    if (this.#isVisible) return true;
    if (this.#nextEscape !== -1 && this.#nextEscape < start)
      this.#nextEscape = this.#document.indexOf('\\', start);
    return this.#nextEscape !== -1 && this.#nextEscape < end;
  }
}

/** What a string stands for, or another token as it is written. */
function contentOf(token: Token, written: Buffer): Buffer {
  if (token !== Token.Key && token !== Token.String) return written;
  return written.includes('\\')
    ? Buffer.from(JSON.parse(written.toString()))
    : written.subarray(1, -1);
}

/** A number changes only if it is the whole secret; words and brackets never do. */
function inToken(token: Token, { length }: Buffer, spans: readonly Span[]): readonly Span[] {
  if (token === Token.Key || token === Token.String) return spans;
  const isWhole = token === Token.Number && spans[0]?.[0] === 0 && spans[0][1] === length;
  return isWhole ? spans : [];
}

const quoted = (value: Buffer): Buffer => Buffer.from(JSON.stringify(value.toString()));

/** Scrubs names of members so that no two members of an object become one. */
class ScrubbedNames {
  readonly #document: Buffer;
  #used: ReadonlySet<string> | undefined;
  /** By depth, the scrubbed names of the object. */
  readonly #taken: Set<string>[] = [];
  /** By depth, the number to try next. */
  readonly #next: number[] = [];

  constructor(document: Buffer) {
    this.#document = document;
  }

  enter(depth: number): void {
    this.#taken[depth] = new Set();
    this.#next[depth] = 1;
  }

  /** Replaces by `REDACTED`, or by `REDACTED_2` and so on if the object has that name. */
  scrub(name: Buffer, spans: readonly Span[], depth: number): Buffer {
    const taken = this.#taken[depth] ?? new Set();
    this.#used ??= numbersBehind(this.#document);
    const first = replaceSpans(name, spans, REDACTED);
    if (!this.#used.has('') && !taken.has(first.toString())) {
      taken.add(first.toString());
      return first;
    }
    for (let number = Math.max(2, this.#next[depth] ?? 2); ; number++) {
      const scrubbed = replaceSpans(name, spans, `${REDACTED}_${number}`);
      if (this.#used.has(String(number)) || taken.has(scrubbed.toString())) continue;
      taken.add(scrubbed.toString());
      this.#next[depth] = number + 1;
      return scrubbed;
    }
  }
}

const UNICODE_ESCAPE = /\\u([\da-f]{4})/gi;

/** The numbers that a document has behind `REDACTED_`, and '' if it has `REDACTED` at all. */
function numbersBehind(document: Buffer): Set<string> {
  const text = document
    .toString('latin1')
    .replace(UNICODE_ESCAPE, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  const found = text.matchAll(/REDACTED(?:_(\d+))?/g);
  return new Set([...found].flatMap(([, number = '']) => ['', number]));
}
