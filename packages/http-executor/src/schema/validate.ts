import type { SchemaViolation } from '@gatehouse/contracts';
import { inspectJson, pointerAt } from '@gatehouse/json-text';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { MAX_JSON_DEPTH } from '../json-depth.ts';

export const MAX_VIOLATIONS = 20;

/**
 * What validators would not agree on (contract section 3, "Pass-through"): repeated members and endless numbers.
 * Throws a `JsonFault`.
 */
export function ambiguities(text: string): SchemaViolation[] {
  const { repeatedMember, infiniteNumber } = inspectJson(text, MAX_JSON_DEPTH);
  const violations: SchemaViolation[] = [];
  const add = (position: number, what: string) => {
    const path = pointerAt(text, position);
    violations.push({ path, message: `${path} ${what}` });
  };
  if (repeatedMember !== undefined) add(repeatedMember.position, 'is there more than once');
  if (infiniteNumber !== undefined) {
    add(infiniteNumber.position, `is the number \`${infiniteNumber.text.slice(0, 20)}\`, larger than any double`);
  }
  return violations;
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
