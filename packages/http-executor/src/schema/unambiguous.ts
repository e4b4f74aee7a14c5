import { SURELY_EXACT_CHARS } from '@gatehouse/json-text';
import { MAX_JSON_DEPTH } from '../json-depth.ts';
import { isJudgedAsRead, type NumericWords } from './stand-ins.ts';

/**
 * Whether validators agree on a document that `JSON.parse` made this value of: no repeated
 * member, no number that needs a stand-in, no more levels than allowed. Much faster than to
 * say which.
 */
export function isUnambiguous(document: Buffer, value: unknown, words: NumericWords): boolean {
  return countNames(document, words) === countMembers(value);
}

/** No value has so many members. */
const DOUBTFUL = -1;

/** The names written in a JSON text, unless it nests too deep or a number needs a stand-in. */
function countNames(document: Buffer, words: NumericWords): number {
  const firstDigit = firstDigitThatCounts(words);
  let names = 0;
  let depth = 0;
  let at = 0;
  for (; at < document.length && depth <= MAX_JSON_DEPTH; at++) {
    const code = document[at] as number;
    if (code === QUOTE) at = endOfString(document, at);
    else if (code === COLON) names += 1;
    else if (code <= NINE && code >= firstDigit) at = endOfPlainNumber(document, at, words);
    else if ((code | 0x20) === OPEN_BRACE) depth += 1;
    else if ((code | 0x20) === CLOSE_BRACE) depth -= 1;
  }
  return depth > MAX_JSON_DEPTH || at > document.length ? DOUBTFUL : names;
}

const firstDigitThatCounts = ({ anyNumberMatters }: NumericWords) =>
  anyNumberMatters ? ZERO : NONE;

/** The last index of a number, or that behind the document if the number needs a stand-in. */
function endOfPlainNumber(document: Buffer, start: number, words: NumericWords): number {
  let end = start + 1;
  let isLong = false;
  for (; end < document.length; end++) {
    const code = document[end] as number;
    if (code <= NINE && code >= PLUS && code !== COMMA) continue;
    if ((code | 0x20) !== LETTER_E) break;
    isLong = true;
  }
  if (!isLong && end - start <= SURELY_EXACT_CHARS) return end - 1;
  return isJudgedAsRead(document, [start, end], words) ? end - 1 : document.length;
}

/** The index of the closing quote; the text is known to be JSON. */
function endOfString(document: Uint8Array, open: number): number {
  let at = open + 1;
  while (at < document.length && document[at] !== QUOTE) at += document[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** The members of all objects in a value; NaN: a number is endless. */
function countMembers(value: unknown): number {
  if (typeof value === 'number') return Number.isFinite(value) ? 0 : Number.NaN;
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) for (const item of value) members += countMembers(item);
  else
    for (const name in value) members += 1 + countMembers((value as Record<string, unknown>)[name]);
  return members;
}

const [QUOTE, COLON, BACKSLASH, COMMA] = [0x22, 0x3a, 0x5c, 0x2c];
const [ZERO, NINE, NONE, PLUS, LETTER_E] = [0x30, 0x39, 0xff, 0x2b, 0x65];
/** A bracket with this bit is a brace. */
const [OPEN_BRACE, CLOSE_BRACE] = [0x7b, 0x7d];
