import type { Violation } from '@gatehouse/contracts';
import { isPlainNumber, JsonScanner, OpenNames, pointerAt, Token } from '@gatehouse/json-text';
import { MAX_JSON_DEPTH } from '../json-depth.ts';

/**
 * What breaks a schema in a JSON document.
 * @throws {JsonFault} when the document is no JSON, or nests too deep.
 */
export type Validate = (document: Buffer) => readonly Violation[];

const NONE: readonly Violation[] = [];

/** For a document that is known to be JSON and valid. */
export const alreadyValid: Validate = () => NONE;

/** Without a schema: finds nothing but a `JsonFault`, which it throws. */
export const checkSyntax: Validate = (document) => {
  const scanner = new JsonScanner(document, MAX_JSON_DEPTH);
  while (scanner.next() !== Token.End);
  return NONE;
};

/**
 * What validators disagree on (contract section 3, "Pass-through"): the first repeated
 * member, and the first number that no double holds. Throws a `JsonFault`.
 */
export const ambiguities: Validate = (document) => {
  const scanner = new JsonScanner(document, MAX_JSON_DEPTH);
  const names = new OpenNames(document);
  let repeated: Violation | undefined;
  let endless: Violation | undefined;
  for (let token = scanner.next(); token !== Token.End; token = scanner.next()) {
    if (token === Token.BeginObject) names.open(scanner.depth);
    else if (token === Token.Key && !names.add(scanner))
      repeated ??= violationAt(scanner, 'is there more than once');
    else if (token === Token.Number && isEndless(scanner))
      endless ??= violationAt(
        scanner,
        `is the number ${writtenNumber(scanner)}, larger than any double`,
      );
  }
  return [repeated, endless].filter((found) => found !== undefined);
};

const writtenNumber = ({ written }: JsonScanner) => `\`${written.slice(0, 20)}\``;

function isEndless(scanner: JsonScanner): boolean {
  if (isPlainNumber(scanner.bytes, scanner.start, scanner.end)) return false;
  return !Number.isFinite(Number(scanner.written));
}

function violationAt({ bytes, start }: JsonScanner, what: string): Violation {
  const pointer = pointerAt(bytes, start);
  return { pointer, message: `${pointer} ${what}` };
}

/** In place of violations where the schema could not be applied. */
export function unchecked(reason: string): Violation[] {
  return [{ pointer: '', message: `the body could not be checked: ${reason}` }];
}
