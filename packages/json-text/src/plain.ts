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
 * Whether `inspectJson` would find nothing in a text, provided that it is JSON: one short
 * look, which is right about most small texts. False where in doubt, and beyond so many
 * members.
 */
export function isPlainJson(bytes: Uint8Array, maxMembers = Number.POSITIVE_INFINITY): boolean {
  const names = new PlainNames(maxMembers);
  // To ask for it at each byte takes twice as long.
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

/** An escape is in doubt. */
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

/** So many digits are exact in any case; an exponent is in doubt. */
const MOST_DIGITS = 15;

function endOfPlainNumber(bytes: Uint8Array, from: number, length: number): number {
  const beyond = Math.min(length, from + MOST_DIGITS);
  for (let at = from; at < beyond; at++) {
    const code = bytes[at] as number;
    if (code < MINUS || code > NINE) return (code | LOWER_CASE) === LETTER_E ? DOUBT : at;
  }
  return DOUBT;
}

/** Of what is open at once; beyond, a text is in doubt. */
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

  /** Objects and lists that open or close; false: too deep. */
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

  /** False: another one of its object may be the same, or it is refused, or one too many. */
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

/** Some bytes of a name with its quotes, and its length: where they differ, the names do. */
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
