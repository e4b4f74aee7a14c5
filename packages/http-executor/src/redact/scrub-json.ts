import { JsonScanner, JsonToken } from '@gatehouse/json-text';
import { withoutJsonEscapes } from './escapes.ts';
import { REDACTED, replaceSpans, type Tally } from './scrub.ts';
import { findSecrets, type Span, type Spellings } from './search.ts';

/**
 * Redacts secrets in the strings and numbers of a UTF-8 JSON document. A secret in a string can be
 * escaped twice: by JSON itself, and before that by the upstream, as in a percent-encoded URL. So
 * this search decodes JSON's escapes, and `findSecrets` decodes one more level.
 * INVARIANT: only strings and numbers with secrets change. Member names in an object stay distinct.
 * @throws {SearchStopped}
 */
export function scrubJson(spellings: Spellings, document: Buffer, tally: Tally): Buffer {
  const candidates = findCandidates(spellings, document);
  if (candidates.length === 0) return document;
  const mayHoldSecret = overlapWith(candidates);
  const scanner = new JsonScanner(document);
  const names = new RedactedNames(document);
  const parts: Buffer[] = [];
  let copied = 0;
  let redactions = 0;
  for (let token = scanner.next(); token !== JsonToken.End; token = scanner.next()) {
    const { start, end, depth } = scanner;
    if (token === JsonToken.BeginObject) names.enter(depth);
    if (!mayHoldSecret(start, end)) continue;
    const { content, spans } = searchToken(spellings, token, document.subarray(start, end));
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
 * Lists places in a document that may contain a secret. Searching the whole document once is much
 * faster than searching each token. Some candidates are false alarms, such as a match that spans
 * two tokens, so `searchToken` checks them.
 */
function findCandidates(spellings: Spellings, document: Buffer): Span[] {
  const { bytes, offsetOf } = withoutJsonEscapes(document);
  return findSecrets(spellings, bytes).map(([start, end]) => [offsetOf(start), offsetOf(end)]);
}

/** Returns a function that checks if a token overlaps a candidate. Pass the tokens in order. */
function overlapWith(candidates: readonly Span[]): (start: number, end: number) => boolean {
  let next = 0;
  return (start, end) => {
    while ((candidates[next]?.[1] ?? Number.POSITIVE_INFINITY) <= start) next += 1;
    return (candidates[next]?.[0] ?? Number.POSITIVE_INFINITY) < end;
  };
}

/** Finds secrets within a JSON string. A JSON number matches only if the whole number is secret. */
function searchToken(spellings: Spellings, token: JsonToken, written: Buffer) {
  const isString = token === JsonToken.Key || token === JsonToken.String;
  const content = isString ? Buffer.from(JSON.parse(written.toString())) : written;
  const spans = findSecrets(spellings, content);
  const [start, end] = spans[0] ?? [];
  const isWhole = start === 0 && end === content.length;
  return { content, spans: isString || isWhole ? spans : [] };
}

interface OpenObject {
  /** Redacted names already used in this object. The next redacted name must be a different one. */
  readonly names: Set<string>;
  /** Number of the most recent placeholder in this object, such as 2 for `REDACTED_2`. */
  number: number;
}

/** Replaces secrets in member names with `REDACTED`, `REDACTED_2` etc., to keep names distinct. */
class RedactedNames {
  readonly #document: Buffer;
  /** Names in the document that contain `REDACTED`. Redacted names must differ from these names. */
  #taken: ReadonlySet<string> | undefined;
  readonly #open: OpenObject[] = [];

  constructor(document: Buffer) {
    this.#document = document;
  }

  enter(depth: number): void {
    this.#open[depth] = { names: new Set(), number: 0 };
  }

  /** Replaces secrets in a name with `REDACTED`, or with `REDACTED_2` to avoid a duplicate name. */
  redact(name: Buffer, spans: readonly Span[], depth: number): string {
    this.#taken ??= redactedNamesIn(this.#document);
    const open = this.#open[depth] as OpenObject;
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
