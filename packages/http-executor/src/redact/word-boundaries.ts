import type { EncodedPart } from './spellings.ts';
import { LEVELS, unescapeOnce } from './unescape.ts';

/** Characters around a spelling that hold its neighbour, at several levels of escapes. */
const AROUND = 32;

/** No letter, digit or `_` stands beside it, with escapes undone. */
export function standsByItself(text: string, start: number, end: number): boolean {
  const before = charactersIn(text.slice(Math.max(0, start - AROUND), start));
  const behind = charactersIn(text.slice(end, end + AROUND));
  return !WORD_AT_END.test(before) && !WORD_AT_START.test(behind);
}

// Node 26 misses a pair of surrogates before `$` without the look-behind.
const WORD_AT_END = /(?<=[\p{L}\p{N}_])$/u;
const WORD_AT_START = /^[\p{L}\p{N}_]/u;

function charactersIn(bytes: string): string {
  let unescaped = bytes;
  for (let level = 0; level < LEVELS; level++) unescaped = unescapeOnce(unescaped);
  return Buffer.from(unescaped, 'latin1').toString();
}

/** The same for a part of base64, judged once its surroundings are decoded. */
export function isEncodedByItself(
  text: string,
  start: number,
  end: number,
  { secret, skipped }: EncodedPart,
): boolean {
  const group = start - skipped;
  const before = /[\w+/-]{4}/.test(text.slice(Math.max(0, group - GROUP), group)) ? GROUP : 0;
  const behind = text.slice(end, end + 2 * GROUP).replace(/[^\w+/-].*/s, '');
  const decoded = Buffer.from(text.slice(group - before, end) + behind, 'base64').toString(
    'latin1',
  );
  const at = decoded.indexOf(secret);
  return at !== -1 && standsByItself(decoded, at, at + secret.length);
}

/** Four characters of base64 are three octets. */
const GROUP = 4;
