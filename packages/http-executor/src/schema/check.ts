import { ajvCheck } from './ajv-check.ts';
import { isBeyondAjv } from './beyond-ajv.ts';
import { InvalidSchema } from './reading/fault.ts';
import type { ReadSchema } from './reading/read.ts';
import { referenceCheck } from './reference/check.ts';
import type { Check } from './violation.ts';

/**
 * Compiles a schema into a check: Ajv is fast, and taken where it is right.
 * @throws {InvalidSchema} when the schema refers to what it lacks.
 */
export function compileCheck(schema: ReadSchema): Check {
  if (isBeyondAjv(schema.text)) return referenceCheck(schema);
  try {
    return ajvCheck(schema);
  } catch (error) {
    if (!(error instanceof Error) || error instanceof InvalidSchema) throw error;
    // Ajv gives up where the other one need not, or names no place.
    return referenceCheck(schema);
  }
}
