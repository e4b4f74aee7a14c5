import type { Violation } from '@gatehouse/contracts';
import { isPlainNumber, JsonScanner, OpenNames, pointerAt, Token } from '@gatehouse/json-text';
import { bodyViolation } from './check.ts';

/**
 * Finds what validators disagree on: the first repeated member, and the first number that no double can hold.
 * @throws {JsonFault}
 */
export function findDisputed(document: Buffer, maxDepth: number): readonly Violation[] {
  const scanner = new JsonScanner(document, maxDepth);
  const names = new OpenNames(document);
  let repeated: Violation | undefined;
  let endless: Violation | undefined;
  for (let token = scanner.next(); token !== Token.End; token = scanner.next()) {
    if (token === Token.BeginObject) names.open(scanner.depth);
    else if (token === Token.Key && !names.add(scanner))
      repeated ??= violationAt(scanner, 'is there more than once');
    else if (token === Token.Number && isEndless(scanner))
      endless ??= violationAt(scanner, 'is a number larger than any double');
  }
  return [repeated, endless].filter((found) => found !== undefined);
}

function isEndless(number: JsonScanner): boolean {
  const { bytes, start, end } = number;
  return !isPlainNumber(bytes, start, end) && !Number.isFinite(Number(number.written));
}

function violationAt({ bytes, start }: JsonScanner, what: string): Violation {
  return bodyViolation(pointerAt(bytes, start), what);
}
