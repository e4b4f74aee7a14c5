import type { SchemaViolation } from '@gatehouse/contracts';
import { isPlainNumber, JsonScanner, OpenNames, pointerAt, Token } from '@gatehouse/json-text';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { MAX_JSON_DEPTH } from '../json-depth.ts';

export const MAX_VIOLATIONS = 20;

/**
 * What validators would not agree on (contract section 3, "Pass-through"): the first
 * repeated member, and the first number that is endless as a double. Throws a
 * `JsonFault`.
 */
export function ambiguities(document: Buffer): SchemaViolation[] {
  const scanner = new JsonScanner(document, MAX_JSON_DEPTH);
  const names = new OpenNames(document);
  let repeated: Ambiguity | undefined;
  let endless: Ambiguity | undefined;
  for (let token = scanner.next(); token !== Token.End; token = scanner.next()) {
    if (token === Token.BeginObject || token === Token.BeginArray) names.open(scanner.depth);
    else if (token === Token.Key && !names.add(scanner))
      repeated ??= { at: scanner.start, what: REPEATED };
    else if (token === Token.Number && isEndless(scanner))
      endless ??= { at: scanner.start, what: endlessNumber(scanner) };
  }
  return [repeated, endless].flatMap((found) =>
    found === undefined ? [] : violationAt(document, found),
  );
}

interface Ambiguity {
  readonly at: number;
  readonly what: string;
}

const REPEATED = 'is there more than once';
const endlessNumber = ({ written }: JsonScanner) =>
  `is the number \`${written.slice(0, 20)}\`, larger than any double`;

function isEndless(scanner: JsonScanner): boolean {
  return (
    !isPlainNumber(scanner.bytes, scanner.start, scanner.end) &&
    !Number.isFinite(Number(scanner.written))
  );
}

function violationAt(document: Buffer, { at, what }: Ambiguity): SchemaViolation {
  const path = pointerAt(document, at);
  return { path, message: `${path} ${what}` };
}

/** The first violations of a schema that is compiled; none: the value is valid. */
export function violationsOf(validate: ValidateFunction, value: unknown): SchemaViolation[] {
  if (validate(value) === true) return [];
  return (validate.errors ?? []).slice(0, MAX_VIOLATIONS).map(({ instancePath, message }) => ({
    path: instancePath,
    message: `${instancePath === '' ? 'the body' : instancePath} ${message ?? 'is not valid'}`,
  }));
}

/** In place of violations where the schema could not be applied. */
export function unchecked(why: string): SchemaViolation[] {
  return [{ path: '', message: `the body could not be checked: ${why}` }];
}
