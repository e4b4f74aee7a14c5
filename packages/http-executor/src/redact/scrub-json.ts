import { JsonScanner, JsonToken } from '@gatehouse/json-text';
import { withoutJsonEscapes } from './escapes.ts';
import {
  findSecrets,
  REDACTED,
  replaceSpans,
  type Search,
  type Span,
  type Tally,
} from './scrub.ts';

/**
 * Redacts secrets in the strings of a JSON document in UTF-8, and numbers that are secrets.
 * INVARIANT: all bytes outside the redacted parts stay unchanged, and the member names of an object
 * stay distinct.
 * @throws {SearchStopped}
 */
export function scrubJson(search: Search, document: Buffer, tally: Tally): Buffer {
  const hits = findHits(search, document);
  if (hits.length === 0) return document;
  const isHit = overlapWith(hits);
  const scanner = new JsonScanner(document);
  const names = new RedactedNames(document);
  const parts: Buffer[] = [];
  let copied = 0;
  let redactions = 0;
  for (let token = scanner.next(); token !== JsonToken.End; token = scanner.next()) {
    const { start, end, depth } = scanner;
    if (token === JsonToken.BeginObject) names.enter(depth);
    if (!isHit(start, end)) continue;
    const { content, spans } = searchToken(search, token, document.subarray(start, end));
    if (spans.length === 0) continue;
    const redacted =
      token === JsonToken.Key
        ? names.redact(content, spans, depth)
        : replaceSpans(content, spans, REDACTED).toString();
    parts.push(document.subarray(copied, start), Buffer.from(JSON.stringify(redacted)));
    copied = end;
    redactions += spans.length;
  }
  tally.redactions += redactions;
  return Buffer.concat([...parts, document.subarray(copied)]);
}

/**
 * Finds hits, which are places where a secret may be. Most documents have no hit, so that we need
 * not scan them for tokens. A hit may span two tokens or begin inside an escape and so be false, so
 * each token that overlaps a hit is searched by itself.
 */
function findHits(search: Search, document: Buffer): Span[] {
  const { bytes, offsetOf } = withoutJsonEscapes(document);
  return findSecrets(search, bytes).map(([start, end]) => [offsetOf(start), offsetOf(end)]);
}

/**
 * Returns a function that tells whether a token overlaps a hit. Call that function with the tokens
 * in document order.
 */
function overlapWith(hits: readonly Span[]): (start: number, end: number) => boolean {
  let next = 0;
  return (start, end) => {
    while ((hits[next]?.[1] ?? Number.POSITIVE_INFINITY) <= start) next += 1;
    return (hits[next]?.[0] ?? Number.POSITIVE_INFINITY) < end;
  };
}

/** Finds the secrets in a decoded string, or in a number if the whole number is a secret. */
function searchToken(
  search: Search,
  token: JsonToken,
  written: Buffer,
): { content: Buffer; spans: readonly Span[] } {
  const isString = token === JsonToken.Key || token === JsonToken.String;
  const content = isString ? Buffer.from(JSON.parse(written.toString())) : written;
  const spans = findSecrets(search, content);
  const [start, end] = spans[0] ?? [];
  const isWhole = start === 0 && end === content.length;
  return { content, spans: isString || isWhole ? spans : [] };
}

/**
 * Replaces member names that contain a secret. Numbers them in each object, so that they stay
 * distinct.
 */
class RedactedNames {
  readonly #document: Buffer;
  /** Names in the document that contain `REDACTED`. */
  #taken: ReadonlySet<string> | undefined;
  /** Redacted names of each open object, and the last number used there, by depth. */
  readonly #open: { names: Set<string>; number: number }[] = [];

  constructor(document: Buffer) {
    this.#document = document;
  }

  enter(depth: number): void {
    this.#open[depth] = { names: new Set(), number: 0 };
  }

  /**
   * Replaces the secrets in a name by `REDACTED` in the first such name of an object, by
   * `REDACTED_2` in the next, and so on.
   */
  redact(name: Buffer, spans: readonly Span[], depth: number): string {
    this.#taken ??= redactedNamesIn(this.#document);
    const open = this.#open[depth] as { names: Set<string>; number: number };
    for (;;) {
      open.number += 1;
      const replacement = open.number === 1 ? REDACTED : `${REDACTED}_${open.number}`;
      const redacted = replaceSpans(name, spans, replacement).toString();
      if (this.#taken.has(redacted) || open.names.has(redacted)) continue;
      open.names.add(redacted);
      return redacted;
    }
  }
}

function redactedNamesIn(document: Buffer): Set<string> {
  const scanner = new JsonScanner(document);
  const names = new Set<string>();
  for (let token = scanner.next(); token !== JsonToken.End; token = scanner.next())
    if (token === JsonToken.Key && scanner.name.includes(REDACTED)) names.add(scanner.name);
  return names;
}
