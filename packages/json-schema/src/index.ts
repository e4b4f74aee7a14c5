export type { ReadSchema } from './ajv.ts';
export { unchecked } from './body.ts';
export { type CheckLimits, isQuickCheck, SchemaCheck } from './check.ts';
export { type CompileResult, compileSchemaText } from './compile.ts';
export { SCHEMA_LIMITS } from './reading/read.ts';
export {
  type Budget,
  FULL_TRIES,
  OverBudget,
  SCHEMA_BUDGET_MS,
  Starved,
  TimeBudget,
} from './time-budget.ts';
