import { MAX_VIOLATIONS, type Violation } from '@gatehouse/contracts';
import { JsonScanner, JsonToken } from '@gatehouse/json-text';
import { bodyViolation, unchecked } from './violations.ts';

export interface BodyLimits {
  readonly maxDepth: number;
  /** Memory limit for the parsed body, in bytes. */
  readonly maxParsedBytes: number;
}

/**
 * Returns a violation if the parsed body would take too much memory. Parsing can multiply the size:
 * `[[],[],…]` takes 14 times as much memory as its text. Also reports the first repeated member and
 * the first number that is too large for a double, because JSON parsers disagree about both.
 * @throws {JsonFault} if the body is not JSON or is nested too deeply
 */
export function inspectBody(document: Buffer, limits: BodyLimits): readonly Violation[] {
  const scanner = new JsonScanner(document, limits.maxDepth);
  const keys = new Set<string>();
  let bytes = 0;
  let repeated: Violation | undefined;
  let infinite: Violation | undefined;
  for (let token = scanner.next(); token !== JsonToken.End; token = scanner.next()) {
    if (token === JsonToken.Key) {
      const { name } = scanner;
      bytes += bytesOfKey(name, keys);
      if (!scanner.addName(name))
        repeated ??= bodyViolation(scanner.pointer(), 'appears more than once');
    } else {
      bytes += bytesOf(token, scanner);
      const isLong = token === JsonToken.Number && !scanner.isShortNumber;
      if (isLong && !Number.isFinite(Number(scanner.written)))
        infinite ??= bodyViolation(scanner.pointer(), 'is too large for a double');
    }
    if (bytes > limits.maxParsedBytes) return unchecked('the parsed body takes too much memory');
  }
  return [repeated, infinite].filter((found) => found !== undefined);
}

/** Memory estimates in bytes for each kind of key and value, measured and then rounded up. */
const CONTAINER = 64;
const KNOWN_KEY = 8;
const NEW_KEY = 160;
const STRING = 24;
const NUMBER = 12;
const WORD = 8;

function bytesOf(token: JsonToken, { start, end }: JsonScanner): number {
  if (token === JsonToken.String) return STRING + end - start;
  if (token === JsonToken.Number) return NUMBER;
  return token === JsonToken.BeginObject || token === JsonToken.BeginArray ? CONTAINER : WORD;
}

/** Maximum number of keys to remember. A repeat of such a key counts as only `KNOWN_KEY` bytes. */
const MAX_KNOWN_KEYS = 4_096;

function bytesOfKey(key: string, known: Set<string>): number {
  if (known.has(key)) return KNOWN_KEY;
  if (known.size < MAX_KNOWN_KEYS) known.add(key);
  // Count `MAX_VIOLATIONS` copies of the key, because each violation may contain one.
  return NEW_KEY + MAX_VIOLATIONS * key.length;
}
