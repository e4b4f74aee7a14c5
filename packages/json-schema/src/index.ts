export { type CompileResult, compileSchemaText } from './compile.ts';
export { findDisputed } from './disputed.ts';
export { fitsParsed } from './parsed-size.ts';
export { SCHEMA_LIMITS } from './reading/lint.ts';
export type { ReadSchema } from './reading/read.ts';
export {
  type Budget,
  FULL_TRIES,
  OverBudget,
  SCHEMA_BUDGET_MS,
  Starved,
  TimeBudget,
} from './time-budget.ts';
export { SchemaValidator, unchecked, type Validate, type ValidateLimits } from './validate.ts';
