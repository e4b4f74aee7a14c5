import type { SchemaViolation } from '@gatehouse/contracts';
import { JsonScanner, OpenNames, pointerAt, Token } from '@gatehouse/json-text';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { MAX_JSON_DEPTH } from '../json-depth.ts';

export const MAX_VIOLATIONS = 20;

/**
 * What validators would not agree on (contract section 3, "Pass-through"): the first repeated member, and the first
 * number that is endless as a double. Throws a `JsonFault`.
 */
export function ambiguities(text: string): SchemaViolation[] {
  const scanner = new JsonScanner(text, MAX_JSON_DEPTH);
  const names = new OpenNames(text);
  let repeated: number | undefined;
  let endless: number | undefined;
  for (let token = scanner.next(); token !== Token.End; token = scanner.next()) {
    if (token === Token.BeginObject) names.open(scanner.depth);
    else if (token === Token.Key) repeated ??= names.add(scanner) ? undefined : scanner.start;
    else if (token === Token.Number) endless ??= isEndless(scanner) ? scanner.start : undefined;
  }
  return [
    ...violationAt(text, repeated, 'is there more than once'),
    ...violationAt(text, endless, 'is a number larger than any double'),
  ];
}

/** `1e309` is the shortest number that no double holds. */
const FEWEST_ENDLESS = 5;

function isEndless({ text, start, end }: JsonScanner): boolean {
  return end - start >= FEWEST_ENDLESS && !Number.isFinite(Number(text.slice(start, end)));
}

function violationAt(text: string, position: number | undefined, what: string): SchemaViolation[] {
  if (position === undefined) return [];
  const path = pointerAt(text, position);
  return [{ path, message: `${path} ${what}` }];
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
