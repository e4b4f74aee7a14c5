import { MAX_VIOLATIONS, type Violation } from '@gatehouse/contracts';
import { JsonScanner, JsonToken } from '@gatehouse/json-text';

export interface BodyLimits {
  /** Objects and arrays within each other. */
  readonly maxDepth: number;
  /** Memory for the parsed body. */
  readonly maxParsedBytes: number;
}

/**
 * Refuses a body that takes too much memory once it is parsed (`[[],[],…]` takes 14 times its
 * own), and finds what validators disagree on: the first repeated member, and the first number
 * that no double can hold.
 * @throws {JsonFault} when the body is not JSON, or nests too deep.
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
      if (!scanner.isNewName(name)) repeated ??= violationAt(scanner, 'is there more than once');
    } else {
      bytes += bytesOf(token, scanner);
      if (token === JsonToken.Number && isInfinite(scanner))
        infinite ??= violationAt(scanner, 'is a number larger than any double');
    }
    if (bytes > limits.maxParsedBytes)
      return unchecked('parsed, it needs more memory than allowed');
  }
  return [repeated, infinite].filter((found) => found !== undefined);
}

/** Bytes of memory of parsed values; measured, rounded up. */
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

/** Objects share the memory of known keys; any further key counts as new. */
const MAX_KNOWN_KEYS = 4_096;

function bytesOfKey(key: string, known: Set<string>): number {
  if (known.has(key)) return KNOWN_KEY;
  if (known.size < MAX_KNOWN_KEYS) known.add(key);
  // Violations repeat it in their paths.
  return NEW_KEY + MAX_VIOLATIONS * key.length;
}

function isInfinite(scanner: JsonScanner): boolean {
  return !scanner.isShortNumber && !Number.isFinite(Number(scanner.written));
}

function violationAt(scanner: JsonScanner, what: string): Violation {
  return bodyViolation(scanner.pointer(), what);
}

export function bodyViolation(pointer: string, message = 'is not valid'): Violation {
  return { pointer, message: `${pointer === '' ? 'the body' : pointer} ${message}` };
}

/** Stands in for violations where the schema could not be applied. */
export function unchecked(reason: string): Violation[] {
  return [{ pointer: '', message: `the body could not be checked: ${reason}` }];
}
