import {
  compileSchemaText,
  FULL_TRIES,
  SCHEMA_BUDGET_MS,
  SchemaCheck,
  TimeBudget,
} from '@gatehouse/json-schema';

const timer = new TimeBudget();
const budget = { ms: SCHEMA_BUDGET_MS, tries: FULL_TRIES };
export const LIMITS = { budget, maxDepth: 256, maxParsedBytes: 8 * 1024 * 1024 };

const textOf = (schema: object | string) =>
  typeof schema === 'string' ? schema : JSON.stringify(schema);

export const compile = (schema: object | string) =>
  compileSchemaText(textOf(schema), timer, budget);

/**
 * Returns a function that checks a JSON text against the schema, or `undefined` if the schema is
 * refused.
 */
export function checkOf(schema: object | string) {
  const compiled = compile(schema);
  if (compiled.kind === 'invalid') return undefined;
  const check = new SchemaCheck(compiled.schema, timer);
  return (body: string | Buffer) => check.violationsIn(Buffer.from(body), LIMITS);
}

/**
 * Returns a function that checks a JSON text against the schema. Throws if the schema is refused.
 */
export function mustCheck(schema: object | string) {
  const check = checkOf(schema);
  if (check === undefined) throw new Error(`the schema is refused: ${textOf(schema)}`);
  return check;
}
