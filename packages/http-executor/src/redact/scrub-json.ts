import { JsonScanner, JsonToken } from '@gatehouse/json-text';
import { withoutJsonEscapes } from './escapes.ts';
import { REDACTED, replaceSpans, type Scrubbed } from './scrub.ts';
import { findSecrets, MAX_ECHOES, type Search, type Span, tooManyEchoes } from './search.ts';

/**
 * Redacts secrets in strings, and numbers that are a secret, in a JSON document in UTF-8. All
 * other bytes are unchanged, and the names of members stay distinct.
 * @throws {SearchStopped}
 */
export function scrubJson(search: Search | undefined, document: Buffer): Scrubbed<Buffer> {
  const hits = search === undefined ? [] : findHits(search, document);
  if (search === undefined || hits.length === 0) return { result: document, redactions: 0 };
  const scanner = new JsonScanner(document);
  const names = new ScrubbedNames(document);
  const parts: Buffer[] = [];
  let redactions = 0;
  let copied = 0;
  for (const token of tokensWith(hits, scanner, names)) {
    const { start, end, depth } = scanner;
    // Search each token separately, so that no match spans two tokens or splits an escape.
    const content = contentOf(token, document.subarray(start, end));
    const spans = redactableSpans(token, content, findSecrets(search, content));
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

/** Finds possible secrets quickly. Most documents have none, and need no scanner. */
function findHits(search: Search, document: Buffer): Span[] {
  const { bytes, offsetOf } = withoutJsonEscapes(document);
  return findSecrets(search, bytes).map(([start, end]) => [offsetOf(start), offsetOf(end)]);
}

/** Yields the tokens that overlap a hit, and announces each new object to `names`. */
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

/** Decodes a string; returns any other token unchanged. */
function contentOf(token: JsonToken, written: Buffer): Buffer {
  const isString = token === JsonToken.Key || token === JsonToken.String;
  return isString ? Buffer.from(JSON.parse(written.toString())) : written;
}

/** A number is redacted only if it is the whole secret; `true`, `null` and brackets never are. */
function redactableSpans(
  token: JsonToken,
  { length }: Buffer,
  spans: readonly Span[],
): readonly Span[] {
  if (token === JsonToken.Key || token === JsonToken.String) return spans;
  const isWhole = token === JsonToken.Number && spans[0]?.[0] === 0 && spans[0][1] === length;
  return isWhole ? spans : [];
}

class ScrubbedNames {
  readonly #document: Buffer;
  #numbersInUse: ReadonlySet<number> | undefined;
  /** Redacted names and last number of each open object, by depth. */
  readonly #open: { names: Set<string>; number: number }[] = [];

  constructor(document: Buffer) {
    this.#document = document;
  }

  enter(depth: number): void {
    this.#open[depth] = { names: new Set(), number: 0 };
  }

  /** Inserts `REDACTED` into the first name of an object, `REDACTED_2` into the next, and so on. */
  scrub(name: Buffer, spans: readonly Span[], depth: number): string {
    this.#numbersInUse ??= numbersInUse(this.#document);
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

/** Lists the numbers after `REDACTED_` in a document, and 1 if it contains `REDACTED` at all. */
function numbersInUse(document: Buffer): Set<number> {
  const text = document
    .toString('latin1')
    .replace(UNICODE_ESCAPE, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  const found = text.matchAll(/REDACTED(?:_(\d+))?/g);
  return new Set([...found].flatMap(([, number = '1']) => [1, Number(number)]));
}
