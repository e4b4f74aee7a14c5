import { ajvCheck } from './ajv-check.ts';
import type { Check } from './body-check.ts';
import type { ReadSchema } from './reading/read.ts';
import { referenceCheck } from './reference/check.ts';
import { type Budget, OverBudget, type TimeBudget } from './time-budget.ts';

/**
 * Compiles a schema into a check, by its own validator.
 * @throws {InvalidSchema} when the schema refers to what it lacks.
 */
export function compileCheck(schema: ReadSchema): Check {
  return schema.engine === 'ajv' ? ajvCheck(schema) : referenceCheck(schema);
}

/**
 * Chooses the validator: Ajv where it is right and compiles the schema within the budget,
 * otherwise the reference validator.
 * @throws {InvalidSchema} as `compileCheck` does.
 * @throws {OverBudget} @throws {Starved}
 */
export function withEngine(schema: ReadSchema, timer: TimeBudget, budget: Budget): ReadSchema {
  if (schema.engine === 'ajv') {
    try {
      timer.run(() => ajvCheck(schema), budget);
      return schema;
    } catch (error) {
      if (error instanceof OverBudget) throw error;
      // The reference validator says which place is wrong.
    }
  }
  const other: ReadSchema = { ...schema, engine: 'reference' };
  timer.run(() => referenceCheck(other), budget);
  return other;
}
