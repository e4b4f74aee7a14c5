import { setImmediate } from 'node:timers/promises';
import { failure, type Result, success } from '@gatehouse/contracts';
import { BACKSLASH, decodeEscapes, type Mark, PERCENT } from './escapes.ts';
import type { Secrets } from './secrets.ts';

/** Offsets of the first byte of an echo, and of the byte after its last. */
export type Span = [start: number, end: number];

export const MAX_ECHOES = 10_000;
export const TOO_MANY_ECHOES = failure(`echoes credentials more than ${MAX_ECHOES} times`);

/**
 * Finds secrets in text, in linear time. Searches the text as received, with percent escapes
 * decoded, and with JSON escapes decoded. Decoded JSON may contain escapes again, because JSON
 * strings often hold URLs or JSON: `levels` says how often to decode JSON. Returns sorted spans
 * that do not overlap, or a reason that completes the sentence "the response body …".
 */
export async function findSecrets(
  text: Buffer,
  secrets: Secrets,
  levels = 2,
): Promise<Result<readonly Span[]>> {
  let spans = await findSpellings(text, secrets.spellings);
  for (const mark of levels > 0 ? ([PERCENT, BACKSLASH] as const) : []) {
    if (!text.includes(mark)) continue;
    const decoded = await decodeEscapes(text, mark);
    const found = await findSecrets(decoded, secrets, mark === BACKSLASH ? levels - 1 : 0);
    if (!found.ok) return found;
    if (found.value.length === 0) continue;

    spans = mergeSpans(spans, await spansBefore(text, mark, found.value));
  }
  return spans.length > MAX_ECHOES ? TOO_MANY_ECHOES : success(spans);
}

/** Converts spans in decoded text to spans in `text`, only now because most texts have none. */
async function spansBefore(text: Buffer, mark: Mark, spans: readonly Span[]): Promise<Span[]> {
  const offsets = spans.flat();
  await decodeEscapes(text, mark, offsets);
  return spans.map((_, index) => [offsets[2 * index], offsets[2 * index + 1]] as Span);
}

async function findSpellings(text: Buffer, spellings: readonly Buffer[]): Promise<Span[]> {
  let spans: Span[] = [];
  for (const spelling of spellings) {
    const found = await findSpelling(text, spelling);
    if (found.length > 0) spans = mergeSpans(spans, found);
    if (spans.length > MAX_ECHOES) break;
    if (text.length > LARGE_BYTES) await setImmediate();
  }
  return spans;
}

/** Comparing this many bytes with one spelling can take a few milliseconds. */
const LARGE_BYTES = 256 * 1024;

/** Number of leading bytes that must match before a search compares the rest. */
const BEGINNING_BYTES = 16;

/**
 * Finds a spelling with the algorithm of Knuth, Morris and Pratt, which takes linear time even if
 * the caller sends `0000…01` and the upstream answers with zeros. Joins echoes that overlap.
 */
async function findSpelling(text: Buffer, spelling: Buffer): Promise<Span[]> {
  const spans: Span[] = [];
  const beginning = spelling.subarray(0, BEGINNING_BYTES);
  let at = text.indexOf(beginning);
  if (at === -1) return spans;

  const borders = bordersOf(spelling);
  let compared = 0;
  for (; at !== -1; at = text.indexOf(beginning, at)) {
    let matched = 0;
    do {
      compared += 1;
      if (compared % LARGE_BYTES === 0) await setImmediate();
      matched = extendMatch(spelling, borders, matched, text[at++]);
      if (matched < spelling.length) continue;

      addSpan(spans, at - matched, at);
      if (spans.length > MAX_ECHOES) return spans;

      matched = borders[matched - 1] as number;
    } while (matched > 0 && at < text.length);
  }
  return spans;
}

/** Returns how much of the spelling's beginning matches once `byte` has been read. */
function extendMatch(
  spelling: Buffer,
  borders: Uint32Array,
  before: number,
  byte: number | undefined,
): number {
  let matched = before;
  while (matched > 0 && spelling[matched] !== byte) matched = borders[matched - 1] as number;
  return spelling[matched] === byte ? matched + 1 : 0;
}

/** Lists, for each prefix, the length of its longest proper prefix that is also its suffix. */
function bordersOf(spelling: Buffer): Uint32Array {
  const borders = new Uint32Array(spelling.length);
  for (let end = 1; end < spelling.length; end++)
    borders[end] = extendMatch(spelling, borders, borders[end - 1] as number, spelling[end]);
  return borders;
}

function mergeSpans(some: readonly Span[], others: readonly Span[]): Span[] {
  const merged: Span[] = [];
  const sorted = [...some, ...others].sort(([a], [b]) => a - b);
  for (const [start, end] of sorted) addSpan(merged, start, end);
  return merged;
}

/** Adds a span behind the others, or extends the last one if they overlap. */
function addSpan(spans: Span[], start: number, end: number): void {
  const last = spans[spans.length - 1];
  if (last === undefined || start >= last[1]) spans.push([start, end]);
  else if (end > last[1]) last[1] = end;
}
