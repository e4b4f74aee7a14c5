import { SURELY_EXACT_CHARS } from './numbers.ts';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  LETTER_E,
  LOWER_CASE,
  MINUS,
  NINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
} from './tokens.ts';

/**
 * Whether a JSON text surely holds nothing that `inspectJson` reports, and at most so many
 * members; false: unsure.
 * INVARIANT: says nothing about syntax; callers parse the text, too.
 */
export function isPlainJson(bytes: Uint8Array, maxMembers = Number.POSITIVE_INFINITY): boolean {
  const names = new PlainNames(maxMembers);
  // Read once: at each byte it takes twice as long.
  const { length } = bytes;
  let at = 0;
  while (at < length) {
    const start = at;
    const code = bytes[start] as number;
    at += 1;
    if (code === QUOTE) {
      at = endOfPlainString(bytes, at, length);
      if (isName(bytes, at, length) && !names.add(bytes, start, at)) return false;
    } else if (code >= MINUS && code <= NINE) at = endOfPlainNumber(bytes, at, length);
    else if (code >= OPEN_BRACKET && !names.follow(code)) return false;
    if (at === DOUBT) return false;
  }
  return true;
}

const DOUBT = -1;

/** The index behind the string whose content begins here; `DOUBT` if it has an escape. */
function endOfPlainString(bytes: Uint8Array, from: number, length: number): number {
  for (let at = from; at < length; at++) {
    const code = bytes[at];
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) return DOUBT;
  }
  return DOUBT;
}

function isName(bytes: Uint8Array, end: number, length: number): boolean {
  if (end === DOUBT) return false;
  let at = end;
  while (at < length && (bytes[at] as number) <= SPACE) at += 1;
  return at < length && bytes[at] === COLON;
}

/** The index behind the number; `DOUBT` if it has an exponent, or many characters. */
function endOfPlainNumber(bytes: Uint8Array, from: number, length: number): number {
  const beyond = Math.min(length, from + SURELY_EXACT_CHARS);
  for (let at = from; at < beyond; at++) {
    const code = bytes[at] as number;
    if (code < MINUS || code > NINE) return (code | LOWER_CASE) === LETTER_E ? DOUBT : at;
  }
  return DOUBT;
}

/** Of what is open at once; beyond them, a text is unsure. */
const MOST_NAMES = 64;
const MOST_DEPTH = 16;

/** The names in the objects around a position. */
class PlainNames {
  readonly #marks: number[] = [];
  /** Where the names of each open object begin. */
  readonly #firsts: number[] = [0];
  #depth = 0;
  #count = 0;
  #left: number;

  constructor(maxMembers: number) {
    this.#left = maxMembers;
  }

  /** Takes brackets, and letters of words; false: too deep, or one closes too many. */
  follow(code: number): boolean {
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      this.#depth += 1;
      this.#firsts[this.#depth] = this.#count;
      return this.#depth < MOST_DEPTH;
    }
    if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      this.#count = this.#firsts[this.#depth] as number;
      this.#depth -= 1;
    }
    return this.#depth >= 0;
  }

  /** False: unsure, since it may be repeated or refused, or one too many. */
  add(bytes: Uint8Array, start: number, end: number): boolean {
    const mark = markOf(bytes, start, end);
    if (mark === PROTO || mark === PROTOTYPE || this.#count === MOST_NAMES) return false;
    const marks = this.#marks;
    for (let at = this.#firsts[this.#depth] as number; at < this.#count; at++)
      if (marks[at] === mark) return false;
    marks[this.#count] = mark;
    this.#count += 1;
    this.#left -= 1;
    return this.#left >= 0;
  }
}

/** Equal names have equal marks; most others differ. */
function markOf(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  const first = bytes[start + 1] as number;
  const middle = bytes[start + (length >> 1)] as number;
  const last = bytes[end - 2] as number;
  return (length << 24) ^ (first << 16) ^ (middle << 8) ^ last;
}

const markOfName = (name: string) => markOf(Buffer.from(`"${name}"`), 0, name.length + 2);
const PROTO = markOfName('__proto__');
const PROTOTYPE = markOfName('prototype');
