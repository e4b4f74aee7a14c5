import { ajvCheck } from './ajv-check.ts';
import type { Check } from './body-check.ts';
import type { ReadSchema } from './reading/read.ts';
import { referenceCheck } from './reference/check.ts';
import type { TimeBudget } from './time-budget.ts';

/**
 * Compiles a schema into a check, by its own validator.
 * @throws {InvalidSchema} when the schema refers to what it lacks.
 */
export function compileCheck(schema: ReadSchema): Check {
  return schema.engine === 'ajv' ? ajvCheck(schema) : referenceCheck(schema);
}

/** Ajv writes and compiles code, which takes longer the larger a schema is. */
const AJV_BUDGET_MS = 250;

/**
 * The same schema with the validator that can compile it: Ajv is fast at judging, and taken
 * where it is right, and gives up neither the schema nor its time.
 * @throws {InvalidSchema} as `compileCheck` does.
 */
export function withEngine(schema: ReadSchema, budget: TimeBudget): ReadSchema {
  if (schema.engine === 'ajv') {
    try {
      budget.run(() => ajvCheck(schema), AJV_BUDGET_MS);
      return schema;
    } catch {
      // The other one names the place, or can.
    }
  }
  const other: ReadSchema = { ...schema, engine: 'reference' };
  budget.run(() => referenceCheck(other));
  return other;
}
