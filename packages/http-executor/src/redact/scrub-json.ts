import { JsonScanner, JsonToken } from '@gatehouse/json-text';
import { withoutJsonEscapes } from './escapes.ts';
import { REDACTED, replaceSpans, type Scrubbed } from './scrub.ts';
import { findSecrets, MAX_ECHOES, type Search, type Span, tooManyEchoes } from './search.ts';

/**
 * Scrubs a JSON document in UTF-8: strings that hold a secret, and numbers that are one. The
 * rest stays byte for byte, and no two members become one.
 * @throws {SearchStopped}
 */
export function scrubJson(search: Search | undefined, document: Buffer): Scrubbed<Buffer> {
  const hits = search === undefined ? [] : hitsIn(search, document);
  if (search === undefined || hits.length === 0) return { result: document, redactions: 0 };
  const scanner = new JsonScanner(document);
  const names = new ScrubbedNames(document);
  const parts: Buffer[] = [];
  let redactions = 0;
  let copied = 0;
  for (const token of tokensWith(hits, scanner, names)) {
    const { start, end, depth } = scanner;
    // Searched by itself, because a secret must not span two tokens, nor cut an escape in half.
    const content = contentOf(token, document.subarray(start, end));
    const spans = inToken(token, content, findSecrets(search, content));
    if (spans.length === 0) continue;
    const scrubbed =
      token === JsonToken.Key
        ? names.scrub(content, spans, depth)
        : replaceSpans(content, spans, REDACTED).toString();
    parts.push(document.subarray(copied, start), Buffer.from(JSON.stringify(scrubbed)));
    copied = end;
    redactions += spans.length;
    if (redactions > MAX_ECHOES) throw tooManyEchoes();
  }
  if (redactions === 0) return { result: document, redactions };
  return { result: Buffer.concat([...parts, document.subarray(copied)]), redactions };
}

/** Where to look closer. Most documents have no secret, and need no scanner. */
function hitsIn(search: Search, document: Buffer): Span[] {
  const { bytes, offsetOf } = withoutJsonEscapes(document);
  return findSecrets(search, bytes).map(([start, end]) => [offsetOf(start), offsetOf(end)]);
}

/** Visits the tokens in which there is a hit, in their order; tells of each object that begins. */
function* tokensWith(
  hits: readonly Span[],
  scanner: JsonScanner,
  names: ScrubbedNames,
): Generator<JsonToken> {
  let next = 0;
  for (let token = scanner.next(); token !== JsonToken.End; token = scanner.next()) {
    if (token === JsonToken.BeginObject) names.enter(scanner.depth);
    while (next < hits.length && (hits[next] as Span)[1] <= scanner.start) next += 1;
    const hit = hits[next];
    if (hit === undefined) return;
    if (hit[0] < scanner.end) yield token;
  }
}

/** What a string stands for, or another token as it is written. */
function contentOf(token: JsonToken, written: Buffer): Buffer {
  const isString = token === JsonToken.Key || token === JsonToken.String;
  return isString ? Buffer.from(JSON.parse(written.toString())) : written;
}

/** A number changes only if it is the whole secret; words and brackets never do. */
function inToken(token: JsonToken, { length }: Buffer, spans: readonly Span[]): readonly Span[] {
  if (token === JsonToken.Key || token === JsonToken.String) return spans;
  const isWhole = token === JsonToken.Number && spans[0]?.[0] === 0 && spans[0][1] === length;
  return isWhole ? spans : [];
}

/** Scrubs names of members so that no two members of an object become one. */
class ScrubbedNames {
  readonly #document: Buffer;
  #numbersInUse: ReadonlySet<number> | undefined;
  /** By depth, the scrubbed names of the open object, and the latest number behind them. */
  readonly #open: { names: Set<string>; number: number }[] = [];

  constructor(document: Buffer) {
    this.#document = document;
  }

  enter(depth: number): void {
    this.#open[depth] = { names: new Set(), number: 0 };
  }

  /** Replaces by `REDACTED` in the first name of an object, `REDACTED_2` in the next, and so on. */
  scrub(name: Buffer, spans: readonly Span[], depth: number): string {
    this.#numbersInUse ??= numbersBehind(this.#document);
    const open = this.#open[depth] ?? { names: new Set(), number: 0 };
    for (;;) {
      open.number += 1;
      const replacement = open.number === 1 ? REDACTED : `${REDACTED}_${open.number}`;
      const scrubbed = replaceSpans(name, spans, replacement).toString();
      if (this.#numbersInUse.has(open.number) || open.names.has(scrubbed)) continue;
      open.names.add(scrubbed);
      return scrubbed;
    }
  }
}

const UNICODE_ESCAPE = /\\u([\da-f]{4})/gi;

/** The numbers that a document has behind `REDACTED_`, and 1 if it has `REDACTED` at all. */
function numbersBehind(document: Buffer): Set<number> {
  const text = document
    .toString('latin1')
    .replace(UNICODE_ESCAPE, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  const found = text.matchAll(/REDACTED(?:_(\d+))?/g);
  return new Set([...found].flatMap(([, number = '1']) => [1, Number(number)]));
}
