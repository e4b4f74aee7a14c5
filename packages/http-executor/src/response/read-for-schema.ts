import type { Violation } from '@gatehouse/contracts';
import { isPlainNumber, JsonScanner, OpenNames, pointerAt, Token } from '@gatehouse/json-text';
import { MAX_JSON_DEPTH } from '../json-depth.ts';
import { bodyViolation } from '../schema/body-check.ts';

/**
 * Lists what breaks a schema in a JSON document.
 * @throws {JsonFault} when the document is not JSON, or nests too deep.
 */
export type Validate = (document: Buffer) => readonly Violation[];

const NONE: readonly Violation[] = [];

/** Without a schema: finds nothing but a `JsonFault`, which it throws. */
export const checkSyntax: Validate = (document) => {
  const scanner = new JsonScanner(document, MAX_JSON_DEPTH);
  while (scanner.next() !== Token.End);
  return NONE;
};

/**
 * Finds what validators disagree on (contract section 3, "Pass-through"): the first repeated
 * member, and the first number that no double can hold.
 * @throws {JsonFault}
 */
export const findDisputed: Validate = (document) => {
  const scanner = new JsonScanner(document, MAX_JSON_DEPTH);
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
};

function isEndless(number: JsonScanner): boolean {
  const { bytes, start, end } = number;
  return !isPlainNumber(bytes, start, end) && !Number.isFinite(Number(number.written));
}

function violationAt({ bytes, start }: JsonScanner, what: string): Violation {
  return bodyViolation(pointerAt(bytes, start), what);
}

/** Stands in for violations where the schema could not be applied. */
export function unchecked(reason: string): Violation[] {
  return [{ pointer: '', message: `the body could not be checked: ${reason}` }];
}
