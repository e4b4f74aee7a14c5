import { rawView, type View, withoutAnyEscapes } from './escapes.ts';
import { charactersOf, type RequestSecrets } from './secrets.ts';

// Example: a request has the header `authorization: Basic dXNlcjpodW50ZXIyMg==`.
// - Secrets (secrets.ts): the base64 text, and the password `hunter22`.
// - Spellings: the forms in which an upstream may echo each secret, such as its base64.
// - Views (escapes.ts): the text as received, and the text with its escapes decoded.
// - Spans: the echoes that were found, as offsets in the text as received.
// Each character of a secret is one byte (latin1).

const MAX_ECHOES = 10_000;

export type Span = readonly [start: number, end: number];

/** Thrown to abandon a search. The message completes a sentence that begins "the response body". */
export class SearchStopped extends Error {
  override readonly name = 'SearchStopped';
}

const tooManyEchoes = () =>
  new SearchStopped(`echoes credentials from the request more than ${MAX_ECHOES} times`);

/** Form in which an upstream may echo a secret, such as base64. Escapes are decoded separately. */
interface Spelling {
  readonly bytes: Uint8Array;
  /** True to find the secret even inside a longer word. */
  readonly anywhere: boolean;
}

export type Spellings = readonly Spelling[];

/** Shorter secrets are redacted only as whole words. */
const MIN_ANYWHERE_CHARS = 16;

export function listSpellings({ secrets, headerValues }: RequestSecrets): Spellings {
  const texts = new Map<string, boolean>();
  const add = (source: string, spellings: readonly string[]) => {
    const isLong = charactersOf(source) >= MIN_ANYWHERE_CHARS;
    for (const text of spellings) texts.set(text, texts.get(text) === true || isLong);
  };
  for (const secret of secrets) add(secret, plainSpellings(secret));
  for (const source of [...secrets, ...headerValues]) add(source, base64Spellings(source));
  return [...texts].map(([text, anywhere]) => ({ bytes: Buffer.from(text, 'latin1'), anywhere }));
}

/** Adds spellings in lower case, because hosts and header names are lower-cased. */
export function withLowerCase(spellings: Spellings): Spellings {
  const lower = (bytes: Uint8Array) =>
    Buffer.from(Buffer.from(bytes).toString('latin1').toLowerCase(), 'latin1');
  return spellings.flatMap((each) => [each, { ...each, bytes: lower(each.bytes) }]);
}

/** Lists four forms of a secret: as sent, in UTF-8, with `+` for spaces, and in a JSON Pointer. */
function plainSpellings(secret: string): string[] {
  // The upstream may read our bytes as latin1 and answer in UTF-8.
  const utf8 = Buffer.from(secret).toString('latin1');
  const pointer = secret.replaceAll('~', '~0').replaceAll('/', '~1');
  return [secret, utf8, secret.replaceAll(' ', '+'), pointer];
}

/** Encodes text in base64, with and without padding, and in base64url. */
function base64Spellings(text: string): string[] {
  const bytes = Buffer.from(text, 'latin1');
  const padded = bytes.toString('base64');
  return [padded, padded.replaceAll('=', ''), bytes.toString('base64url')];
}

/**
 * Maximum byte comparisons per byte of searched text, so that no search blocks other callers.
 * Without this limit, searching many zeros for a secret such as `0000…01` would take too long.
 */
const STEPS_PER_BYTE = 32;
const MIN_STEPS = 65_536;

/**
 * Finds secrets in plain or escaped text. Returns sorted spans that do not overlap.
 * @throws {SearchStopped}
 */
export function findSecrets(spellings: Spellings, text: Buffer): Span[] {
  if (spellings.length === 0) return [];
  const steps = { left: STEPS_PER_BYTE * text.length + MIN_STEPS };
  let spans: Span[] = [];
  for (const view of [rawView(text), withoutAnyEscapes(text)]) {
    if (view === undefined) continue;
    for (const spelling of spellings) {
      const found = findSpelling(spelling, view, steps);
      if (found.length > 0) spans = mergeSpans([...spans, ...found]);
      if (spans.length > MAX_ECHOES) throw tooManyEchoes();
    }
  }
  return spans;
}

/** Number of leading bytes that must match before a search compares the whole secret. */
const BEGINNING_BYTES = 16;

function findSpelling(
  { bytes: spelling, anywhere }: Spelling,
  { bytes, offsetOf }: View,
  steps: { left: number },
): Span[] {
  const found: Span[] = [];
  const beginning = spelling.subarray(0, BEGINNING_BYTES);
  let at = bytes.indexOf(beginning);
  while (at !== -1) {
    const end = at + spelling.length;
    steps.left -= spelling.length;
    if (steps.left < 0)
      throw new SearchStopped('could not be searched for echoed credentials in time');
    const isSecret =
      bytes.subarray(at, end).equals(spelling) && (anywhere || isWholeWord(bytes, at, end));
    if (isSecret) found.push([offsetOf(at), offsetOf(end)]);
    if (found.length > MAX_ECHOES) throw tooManyEchoes();
    at = bytes.indexOf(beginning, isSecret ? end : at + 1);
  }
  return found;
}

function isWholeWord(bytes: Buffer, start: number, end: number): boolean {
  const before = bytes.toString('utf8', Math.max(0, start - MAX_CHARACTER_BYTES), start);
  const behind = bytes.toString('utf8', end, end + MAX_CHARACTER_BYTES);
  return !WORD_AT_END.test(before) && !WORD_AT_START.test(behind);
}

const MAX_CHARACTER_BYTES = 4;
// Keep the lookbehind: without it, Node 26 fails to match a surrogate pair at the end of the text.
const WORD_AT_END = /(?<=[\p{L}\p{N}_])$/u;
const WORD_AT_START = /^[\p{L}\p{N}_]/u;

function mergeSpans(spans: Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.sort(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last === undefined || span[0] >= last[1]) merged.push(span);
    else merged[merged.length - 1] = [last[0], Math.max(last[1], span[1])];
  }
  return merged;
}
