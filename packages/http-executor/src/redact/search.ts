import { asItIs, LONGEST_ESCAPE, type View, withoutAnyEscapes } from './escapes.ts';
import { type Credentials, charactersOf } from './secrets.ts';

/** Where a secret is in a text, in bytes. */
export type Span = readonly [start: number, end: number];

/** Contract section 3, "Redaction: echoes". */
export const MAX_ECHOES = 10_000;

/** A text was not searched to its end. The message completes "its body …". */
export class SearchStopped extends Error {
  override readonly name = 'SearchStopped';
}

export const tooManyEchoes = () =>
  new SearchStopped(`repeats the credentials of the request more than ${MAX_ECHOES} times`);

/** One way in which an upstream may write a secret, besides escapes. */
interface Spelling {
  readonly bytes: Buffer;
  /** Found within words, too. */
  readonly anywhere: boolean;
}

/** The spellings of all secrets of a request. */
export type Search = readonly Spelling[];

/** A secret of so many characters is found anywhere; a shorter one only where it stands alone. */
const ANYWHERE_LENGTH = 16;

/** Prepares a search; undefined if there is nothing to search for. */
export function prepareSearch({ secrets, wholes }: Credentials): Search | undefined {
  if (secrets.length === 0) return undefined;
  const texts = new Map<string, boolean>();
  const add = (text: string, source: string) => {
    texts.set(text, texts.get(text) === true || charactersOf(source) >= ANYWHERE_LENGTH);
  };
  for (const secret of secrets) for (const text of plainSpellings(secret)) add(text, secret);
  for (const source of [...secrets, ...wholes])
    for (const text of base64Spellings(source)) add(text, source);
  return [...texts].map(([text, anywhere]) => ({ bytes: Buffer.from(text, 'latin1'), anywhere }));
}

/** As it is, in UTF-8, in a form, and in the JSON Pointer of a violation. */
function plainSpellings(secret: string): string[] {
  const utf8 = Buffer.from(secret).toString('latin1');
  const pointer = secret.replaceAll('~', '~0').replaceAll('/', '~1');
  return [secret, utf8, secret.replaceAll(' ', '+'), pointer];
}

/** Base64 with and without padding, and base64url. */
function base64Spellings(text: string): string[] {
  const bytes = Buffer.from(text, 'latin1');
  const padded = bytes.toString('base64');
  return [padded, padded.replaceAll('=', ''), bytes.toString('base64url')];
}

/**
 * Finds all secrets in a text, literal or with one level of escapes, in ascending order.
 * Overlapping secrets are one span.
 * @throws {SearchStopped}
 */
export function findSecrets(search: Search, text: Buffer): Span[] {
  const steps = { left: STEPS_PER_BYTE * text.length + MIN_STEPS };
  let spans: Span[] = [];
  for (const view of [asItIs(text), withoutAnyEscapes(text)]) {
    if (view === undefined) continue;
    for (const spelling of search) {
      const found = findSpelling(spelling, view, steps);
      if (found.length > 0) spans = merge([...spans, ...found]);
      if (spans.length > MAX_ECHOES) throw tooManyEchoes();
    }
  }
  return spans;
}

/** The most that may be removed from the end of a text that breaks off within a secret. */
export function longestEcho(search: Search): number {
  return LONGEST_ESCAPE * Math.max(...search.map(({ bytes }) => bytes.length));
}

/**
 * Places where only the beginning of a spelling matches cost about as many steps as the spelling
 * has bytes. An ordinary text has few; a million zeros, searched for a key of zeros, has a million.
 */
const STEPS_PER_BYTE = 32;
const MIN_STEPS = 65_536;

/** Bytes of a spelling that are looked for natively; the rest is compared where they are found. */
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
      throw new SearchStopped('takes too long to search for the credentials of the request');
    const isSecret =
      bytes.subarray(at, end).equals(spelling) && (anywhere || standsAlone(bytes, at, end));
    if (isSecret) found.push([offsetOf(at), offsetOf(end)]);
    if (found.length > MAX_ECHOES) throw tooManyEchoes();
    at = bytes.indexOf(beginning, isSecret ? end : at + 1);
  }
  return found;
}

/** No letter, digit or `_` is next to the span. */
function standsAlone(bytes: Buffer, start: number, end: number): boolean {
  const before = bytes.toString('utf8', Math.max(0, start - MAX_CHARACTER_BYTES), start);
  const behind = bytes.toString('utf8', end, end + MAX_CHARACTER_BYTES);
  return !WORD_AT_END.test(before) && !WORD_AT_START.test(behind);
}

const MAX_CHARACTER_BYTES = 4;
// Node 26 misses a pair of surrogates before `$` without the look-behind.
const WORD_AT_END = /(?<=[\p{L}\p{N}_])$/u;
const WORD_AT_START = /^[\p{L}\p{N}_]/u;

function merge(spans: Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.sort(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last === undefined || span[0] >= last[1]) merged.push(span);
    else merged[merged.length - 1] = [last[0], Math.max(last[1], span[1])];
  }
  return merged;
}
