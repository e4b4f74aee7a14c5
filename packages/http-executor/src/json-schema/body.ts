import type { Violation } from '@gatehouse/contracts';
import { JsonScanner, JsonToken } from '@gatehouse/contracts/json';
import { isObject } from './places.ts';
import { bodyViolation, MAX_CHARS } from './violations.ts';

/** Facts about a parsed value that the text of the document tells. */
interface Survey {
  /** Number of members at any depth, repeated ones included. */
  readonly members: number;
  /** Estimated size in memory, in bytes. `[{},{},…]` takes 21 times its text. */
  readonly parsedBytes: number;
}

const [QUOTE, COMMA, COLON, BACKSLASH, BRACKET, BRACE] = [...Buffer.from('",:\\[{')];
const SPACE = 0x20;

/** Estimates in bytes, measured and rounded up. */
const CONTAINER = 64;
const ITEM = 12;
const STRING = 24;
const NEW_NAME = 160;

/** Names to remember. Each further object with a name that is remembered takes less memory. */
const MAX_NAMES = 4_096;

/** Counts the members of a valid JSON document, and estimates its size once it is parsed. */
export function surveyJson(document: Buffer): Survey {
  const names = new Set<string>();
  let [members, parsedBytes] = [0, ITEM];
  for (let at = 0; at < document.length; at++) {
    const code = document[at];
    if (code === COMMA) parsedBytes += ITEM;
    else if (code === BRACKET || code === BRACE) parsedBytes += CONTAINER;
    if (code !== QUOTE) continue;

    const start = at;
    at = endOfString(document, start);
    if (isFollowedByColon(document, at)) {
      members += 1;
      parsedBytes += isKnown(document.toString('latin1', start, at), names)
        ? 0
        : NEW_NAME + at - start;
    } else parsedBytes += STRING + at - start;
  }
  return { members, parsedBytes };
}

/** Returns the offset of the quote at the end of a string. */
function endOfString(document: Buffer, start: number): number {
  let at = start + 1;
  while (document[at] !== QUOTE) at += document[at] === BACKSLASH ? 2 : 1;
  return at;
}

function isFollowedByColon(document: Buffer, end: number): boolean {
  let at = end + 1;
  while ((document[at] as number) <= SPACE) at += 1;
  return document[at] === COLON;
}

function isKnown(name: string, names: Set<string>): boolean {
  if (names.has(name)) return true;
  if (names.size < MAX_NAMES) names.add(name);
  return false;
}

/** Counts the members in a parsed value. Returns NaN if a number is infinite, such as `1e400`. */
export function membersIn(value: unknown): number {
  if (typeof value === 'number') return Number.isFinite(value) ? 0 : Number.NaN;
  if (!isObject(value)) return 0;
  const members = Object.values(value);
  const inner = members.reduce<number>((count, each) => count + membersIn(each), 0);
  return Array.isArray(value) ? inner : members.length + inner;
}

/** Finds the first repeated member and infinite number of a response: parsers disagree on both. */
export function ambiguitiesIn(document: Buffer): Violation[] {
  const scanner = new JsonScanner(document);
  let repeated: Violation | undefined;
  let infinite: Violation | undefined;
  for (let token = scanner.next(); token !== JsonToken.End; token = scanner.next()) {
    if (token === JsonToken.Key && !scanner.addName(scanner.name))
      repeated ??= bodyViolation(scanner.pointer(MAX_CHARS), 'appears more than once');
    if (token === JsonToken.Number && !Number.isFinite(Number(scanner.written)))
      infinite ??= bodyViolation(scanner.pointer(MAX_CHARS), 'is too large for a double');
  }
  return [repeated, infinite].filter((found) => found !== undefined);
}
