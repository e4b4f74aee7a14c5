import { type Escape, escapeAt, escapeBefore } from './escapes.ts';
import type { Search, Spelling } from './spellings.ts';

/** Where a secret is in a text, in bytes. */
export type Span = [start: number, end: number];

/** Contract section 3, "Redaction: echoes". */
export const MAX_ECHOES = 10_000;

/** A text was not searched to its end. The message completes "its body …". */
export class SearchStopped extends Error {
  override readonly name = 'SearchStopped';
}

export const tooManyEchoes = () =>
  new SearchStopped(`repeats the credentials of the request more than ${MAX_ECHOES} times`);

/**
 * Comparisons may take so many steps for each byte of a text, and at least so many. Ordinary texts
 * take about one. A text such as a million zeros, searched for a key of zeros, takes one for each
 * character of the key.
 */
const STEPS_PER_BYTE = 32;
const MIN_STEPS = 65_536;
/** An escape sequence takes about as long to read as so many characters. */
const STEPS_PER_ESCAPE = 8;

/** What is left of the steps; shared by all searches in the parts of a text. */
export interface Steps {
  left: number;
}

export const stepsFor = (text: Buffer): Steps => ({
  left: STEPS_PER_BYTE * text.length + MIN_STEPS,
});

/**
 * Finds all secrets in a text, literal or with one level of escapes, in ascending order.
 * Overlapping secrets are one span.
 * @throws {SearchStopped}
 */
export function findSecrets(
  { spellings }: Search,
  text: Buffer,
  steps: Steps = stepsFor(text),
): Span[] {
  const spans: Span[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text[at] as number;
    let end = endOf(spellings[code], text, at, steps);
    if (code === PERCENT || code === BACKSLASH || code === TILDE) {
      const first = escapeAt(text, at)?.bytes[0];
      if (first !== undefined) end = Math.max(end, endOf(spellings[first], text, at, steps));
    }
    if (end <= at) continue;
    const last = spans.at(-1);
    if (last !== undefined && at < last[1]) last[1] = Math.max(last[1], end);
    else spans.push([at, end]);
    if (spans.length > MAX_ECHOES) throw tooManyEchoes();
  }
  return spans;
}

const [PERCENT, PLUS, SPACE, BACKSLASH, TILDE] = [0x25, 0x2b, 0x20, 0x5c, 0x7e];

/** The end of the longest of these spellings that starts here; negative: none does. */
function endOf(
  spellings: readonly Spelling[] | undefined,
  text: Buffer,
  at: number,
  steps: Steps,
): number {
  let longest = DIFFERS;
  if (spellings === undefined) return longest;
  for (const { bytes, anywhere } of spellings) {
    const end = endOfMatch(bytes, text, at, steps);
    if (end > longest && (anywhere || standsAlone(text, at, end))) longest = end;
  }
  return longest;
}

/** Why a match has no end: the text differs, or is cut off. */
const DIFFERS = -2;
const CUT_OFF = -1;

/** A match of the first characters of a spelling. */
interface Match {
  /** Index of the next byte of the spelling. */
  readonly next: number;
  /** Index of the next byte of the text. */
  readonly at: number;
}

/**
 * The end of a spelling that starts at an index of a text, each character literal or escaped;
 * otherwise `CUT_OFF` or `DIFFERS`. A secret may look like an escape itself, so where both
 * readings fit, the escape is tried after the literal.
 * @throws {SearchStopped}
 */
function endOfMatch(spelling: Buffer, text: Buffer, start: number, steps: Steps): number {
  const alternatives: Match[] = [];
  let isCutOff = false;
  for (let match: Match | undefined = { next: 0, at: start }; match; match = alternatives.pop()) {
    const end = followMatch(spelling, text, match, { alternatives, steps });
    if (end >= 0) return end;
    isCutOff ||= end === CUT_OFF;
  }
  return isCutOff ? CUT_OFF : DIFFERS;
}

function followMatch(
  spelling: Buffer,
  text: Buffer,
  start: Match,
  { alternatives, steps }: { alternatives: Match[]; steps: Steps },
): number {
  let match = start;
  while (match.next < spelling.length) {
    const { next, at } = match;
    if (at >= text.length) return CUT_OFF;
    const escaped = escapeOf(spelling, next, text, at);
    spend(steps, escaped === undefined ? 1 : STEPS_PER_ESCAPE);
    const behind = escaped && { next: next + escaped.bytes.length, at: at + escaped.length };
    if (isLiteral(spelling[next], text[at])) {
      if (behind !== undefined) alternatives.push(behind);
      match = { next: next + 1, at: at + 1 };
    } else if (behind === undefined) return DIFFERS;
    else match = behind;
  }
  return match.at;
}

const isLiteral = (wanted: number | undefined, code: number | undefined): boolean =>
  code === wanted || (code === PLUS && wanted === SPACE);

function spend(steps: Steps, count: number): void {
  steps.left -= count;
  if (steps.left < 0)
    throw new SearchStopped('takes too long to search for the credentials of the request');
}

/** The escape sequence in a text that stands for the next bytes of a spelling. */
function escapeOf(spelling: Buffer, next: number, text: Buffer, at: number): Escape | undefined {
  const sequence = escapeAt(text, at);
  if (sequence === undefined) return undefined;
  const isNext = sequence.bytes.every((byte, index) => spelling[next + index] === byte);
  return isNext ? sequence : undefined;
}

/** No letter, digit or `_` is next to the span, whether literal or escaped. */
function standsAlone(text: Buffer, start: number, end: number): boolean {
  const before = escapeBefore(text, start)?.bytes ?? text.subarray(Math.max(0, start - 4), start);
  const behind = escapeAt(text, end)?.bytes ?? text.subarray(end, end + 4);
  return !WORD_AT_END.test(utf8(before)) && !WORD_AT_START.test(utf8(behind));
}

// Node 26 misses a pair of surrogates before `$` without the look-behind.
const WORD_AT_END = /(?<=[\p{L}\p{N}_])$/u;
const WORD_AT_START = /^[\p{L}\p{N}_]/u;

const utf8 = (bytes: Uint8Array) => Buffer.from(bytes).toString();

/**
 * Finds where the beginning of a secret is at the end of a text that was cut off. Returns the
 * length of the text if none is.
 * @throws {SearchStopped}
 */
export function findBeginningAtEnd({ spellings }: Search, text: Buffer): number {
  const all = spellings.flat();
  const longest = Math.max(...all.map(({ bytes }) => bytes.length));
  const steps = stepsFor(text);
  for (let at = Math.max(0, text.length - LONGEST_ESCAPE * longest); at < text.length; at++)
    if (all.some(({ bytes }) => endOfMatch(bytes, text, at, steps) === CUT_OFF)) return at;
  return text.length;
}

/** A byte as `\u0000`. */
const LONGEST_ESCAPE = 6;
