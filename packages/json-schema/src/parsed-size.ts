import { MAX_VIOLATIONS } from '@gatehouse/contracts';
import { JsonScanner, Token } from '@gatehouse/json-text';

/** Bytes of memory of parsed values; measured, rounded up. */
const CONTAINER = 64;
const KNOWN_KEY = 8;
const NEW_KEY = 160;
const STRING = 24;
const NUMBER = 12;
const WORD = 8;

/** Objects share the memory of known keys; any further key counts as new. */
const MAX_KNOWN_KEYS = 4_096;

/**
 * Whether a JSON text takes at most so many bytes of memory once it is parsed and checked;
 * `[[],[],…]` takes 14 times its own.
 * @throws {JsonFault}
 */
export function fitsParsed(document: Buffer, maxBytes: number, maxDepth: number): boolean {
  const scanner = new JsonScanner(document, maxDepth);
  const keys = new Set<string>();
  let bytes = 0;
  for (
    let token = scanner.next();
    token !== Token.End && bytes <= maxBytes;
    token = scanner.next()
  ) {
    if (token === Token.Key)
      bytes += sizeOfKey(document.toString('latin1', scanner.start, scanner.end), keys);
    else if (token === Token.String) bytes += STRING + scanner.end - scanner.start;
    else if (token === Token.Number) bytes += NUMBER;
    else bytes += token === Token.BeginObject || token === Token.BeginArray ? CONTAINER : WORD;
  }
  return bytes <= maxBytes;
}

function sizeOfKey(key: string, known: Set<string>): number {
  if (known.has(key)) return KNOWN_KEY;
  if (known.size < MAX_KNOWN_KEYS) known.add(key);
  // Violations repeat it in their paths.
  return NEW_KEY + MAX_VIOLATIONS * key.length;
}
