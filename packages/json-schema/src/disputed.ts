import type { Violation } from '@gatehouse/contracts';
import { JsonScanner, Token } from '@gatehouse/json-text';
import { bodyViolation } from './check.ts';

/**
 * Finds what validators disagree on: the first repeated member, and the first number that no double can hold.
 * @throws {JsonFault}
 */
export function findDisputed(document: Buffer, maxDepth: number): readonly Violation[] {
  const scanner = new JsonScanner(document, maxDepth);
  let repeated: Violation | undefined;
  let endless: Violation | undefined;
  for (let token = scanner.next(); token !== Token.End; token = scanner.next()) {
    if (token === Token.Key && !scanner.isNewName(scanner.name))
      repeated ??= violationAt(scanner, 'is there more than once');
    else if (token === Token.Number && isEndless(scanner))
      endless ??= violationAt(scanner, 'is a number larger than any double');
  }
  return [repeated, endless].filter((found) => found !== undefined);
}

function isEndless(number: JsonScanner): boolean {
  return !number.isShortNumber && !Number.isFinite(Number(number.written));
}

function violationAt(scanner: JsonScanner, what: string): Violation {
  return bodyViolation(scanner.pointer(), what);
}
