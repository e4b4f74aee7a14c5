import { MAX_JSON_DEPTH } from '../json-depth.ts';

/**
 * Whether validators agree on a document that `JSON.parse` made this value of: no repeated
 * member, no number that no double holds, no more levels than allowed. Much faster than to
 * say which.
 */
export function isUnambiguous(document: Uint8Array, value: unknown): boolean {
  return countNames(document) === countMembers(value);
}

/** No value has so many members. */
const TOO_DEEP = -1;

/** The names written in a JSON text, or `TOO_DEEP`. */
function countNames(document: Uint8Array): number {
  let names = 0;
  let depth = 0;
  for (let at = 0; at < document.length; at++) {
    const code = document[at] as number;
    if (code === QUOTE) at = endOfString(document, at);
    else if (code === COLON) names += 1;
    else if ((code | 0x20) === OPEN_BRACE) depth += 1;
    else if ((code | 0x20) === CLOSE_BRACE) depth -= 1;
    if (depth > MAX_JSON_DEPTH) return TOO_DEEP;
  }
  return names;
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

const [QUOTE, COLON, BACKSLASH] = [0x22, 0x3a, 0x5c];
/** A bracket with this bit is a brace. */
const [OPEN_BRACE, CLOSE_BRACE] = [0x7b, 0x7d];
