export type { TranslatedSchema } from './ajv.ts';
export { SchemaCheck } from './check.ts';
export { type CompileResult, compileSchemaText } from './compile.ts';
export { isQuickCheck } from './quick-check.ts';
export { SCHEMA_LIMITS } from './reading/read.ts';
export {
  type Budget,
  FULL_TRIES,
  OverBudget,
  SCHEMA_BUDGET_MS,
  Starved,
  TimeBudget,
} from './time-budget.ts';
export { unchecked } from './violations.ts';
