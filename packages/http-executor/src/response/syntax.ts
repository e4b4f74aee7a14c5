import type { Violation } from '@gatehouse/contracts';
import { JsonScanner, Token } from '@gatehouse/json-text';
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

/** In place of violations where the schema could not be applied. */
export function unchecked(reason: string): Violation[] {
  return [{ pointer: '', message: `the body could not be checked: ${reason}` }];
}
