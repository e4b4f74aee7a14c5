import type { Violation } from '@gatehouse/contracts';
import { JsonScanner, JsonToken } from '@gatehouse/contracts/json';
import { bodyViolation, MAX_CHARS, unchecked } from './violations.ts';

/** Estimated sizes of parsed values in bytes, measured and rounded up. */
const ITEM = 12;
const CONTAINER = 64;
const STRING = 24;
const NEW_NAME = 160;

/**
 * Returns why a valid JSON document must not be parsed: it would take too much memory, such as
 * `[{},{},…]`, which takes 21 times its text, or parsers would read it differently, because of the
 * first repeated member or the first number that no double can hold.
 */
export function reasonsNotToParse(document: Buffer, maxParsedBytes: number): readonly Violation[] {
  const scanner = new JsonScanner(document);
  const names = new Set<string>();
  let parsedBytes = 0;
  let repeated: Violation | undefined;
  let infinite: Violation | undefined;
  for (let token = scanner.next(); token !== JsonToken.End; token = scanner.next()) {
    const length = scanner.end - scanner.start;
    if (token === JsonToken.Key) {
      const { name } = scanner;
      if (!names.has(name)) parsedBytes += NEW_NAME + length;
      names.add(name);
      if (!scanner.addName(name))
        repeated ??= bodyViolation(scanner.pointer(MAX_CHARS), 'appears more than once');
    }

    if (token === JsonToken.Number && !Number.isFinite(Number(scanner.written)))
      infinite ??= bodyViolation(scanner.pointer(MAX_CHARS), 'is too large for a double');

    parsedBytes += sizeOf(token, length);
    if (parsedBytes > maxParsedBytes)
      return unchecked('it takes too much memory once it is parsed');
  }
  return [repeated, infinite].filter((found) => found !== undefined);
}

/**
 * Returns the largest total size of the names that lead to a value. Ajv escapes all of them again
 * for each error.
 */
export function longestPathBytes(document: Buffer): number {
  const scanner = new JsonScanner(document);
  const paths = [0];
  let longest = 0;
  for (let token = scanner.next(); token !== JsonToken.End; token = scanner.next()) {
    const { depth, start, end } = scanner;
    const isName = token === JsonToken.Key;
    if (!isName && token !== JsonToken.BeginArray) continue;

    const path = (paths[depth - 1] ?? 0) + (isName ? end - start : 0);
    paths[depth] = path;
    longest = Math.max(longest, path);
  }
  return longest;
}

/** Returns the size of a value without its name and what it contains, or 0 for other tokens. */
function sizeOf(token: JsonToken, length: number): number {
  switch (token) {
    case JsonToken.BeginArray:
    case JsonToken.BeginObject:
      return ITEM + CONTAINER;
    case JsonToken.String:
      return ITEM + STRING + length;
    case JsonToken.Number:
    case JsonToken.Word:
      return ITEM;
    default:
      return 0;
  }
}
