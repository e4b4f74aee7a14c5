import type { Violation } from '@gatehouse/contracts';
import { isPlainNumber, JsonScanner, OpenNames, pointerAt, Token } from '@gatehouse/json-text';
import { MAX_JSON_DEPTH } from '../json-depth.ts';
import { bodyViolation } from '../schema/body-check.ts';
import { type NumericWords, standInFor } from '../schema/stand-ins.ts';

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

/** A document as a schema is to judge it. */
interface ForSchema {
  /** With stand-ins for numbers whose doubles could mislead. */
  readonly text: string;
  /** What validators disagree on (contract section 3, "Pass-through"): none, or the first. */
  readonly violations: readonly Violation[];
}

/**
 * Reads a document for a schema with these words: finds the first repeated member, and the
 * first number that no double stands for.
 * @throws {JsonFault}
 */
export function readForSchema(document: Buffer, words: NumericWords): ForSchema {
  const scanner = new JsonScanner(document, MAX_JSON_DEPTH);
  const names = new OpenNames(document);
  const parts: string[] = [];
  let copied = 0;
  let repeated: Violation | undefined;
  let inexact: Violation | undefined;
  for (let token = scanner.next(); token !== Token.End; token = scanner.next()) {
    if (token === Token.BeginObject) names.open(scanner.depth);
    else if (token === Token.Key && !names.add(scanner))
      repeated ??= violationAt(scanner, 'is there more than once');
    else if (token === Token.Number && !isPlain(scanner)) {
      const standIn = standInFor(scanner.written, words);
      if (standIn === undefined) continue;
      if (!Number.isFinite(standIn))
        inexact ??= violationAt(scanner, inexactNumber(scanner, standIn));
      parts.push(document.toString('utf8', copied, scanner.start), String(standIn));
      copied = scanner.end;
    }
  }
  const violations = [repeated, inexact].filter((found) => found !== undefined);
  return { text: parts.join('') + document.toString('utf8', copied), violations };
}

const isPlain = ({ bytes, start, end }: JsonScanner) => isPlainNumber(bytes, start, end);

function inexactNumber({ written }: JsonScanner, standIn: number): string {
  const shown = `is the number \`${written.slice(0, 20)}\``;
  if (Number.isNaN(standIn)) return `${shown}, with more digits than the schema can judge`;
  return `${shown}, larger than any double`;
}

function violationAt({ bytes, start }: JsonScanner, what: string): Violation {
  return bodyViolation(pointerAt(bytes, start), what);
}

/** In place of violations where the schema could not be applied. */
export function unchecked(reason: string): Violation[] {
  return [{ pointer: '', message: `the body could not be checked: ${reason}` }];
}
