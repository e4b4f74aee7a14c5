import { withEngine } from './check.ts';
import { checkMetaSchema, metaValidator } from './meta-schemas.ts';
import { InvalidSchema } from './reading/invalid-schema.ts';
import { type ReadSchema, readSchema } from './reading/read.ts';
import { complexityOf, OverBudget, Starved, type TimeBudget } from './time-budget.ts';

export type CompileResult =
  | { readonly kind: 'compiled'; readonly schema: ReadSchema }
  | { readonly kind: 'invalid'; readonly pointer: string; readonly reason: string };

/**
 * Checks that a schema, given as JSON text, can be used; each step may take `budgetMs`.
 * @throws {OverBudget} @throws {Starved}
 */
export function compileSchemaText(
  text: string,
  budget: TimeBudget,
  budgetMs: number,
): CompileResult {
  try {
    const schema = readSchema(text);
    // Compiled once for all schemas of a dialect, so it does not count against this one.
    metaValidator(schema.dialect);
    budget.run(() => checkMetaSchema(schema), budgetMs);
    return { kind: 'compiled', schema: withEngine(schema, budget, budgetMs) };
  } catch (error) {
    if (error instanceof OverBudget || error instanceof Starved) throw error;
    return invalid(error);
  }
}

/** Messages repeat parts of the schema. */
const MAX_MESSAGE_CHARS = 8 * 1024;

function invalid(error: unknown): CompileResult {
  const pointer = error instanceof InvalidSchema ? error.pointer : '';
  const reason = complexityOf(error) ?? (error as Error).message;
  const cut = (text: string) => text.slice(0, MAX_MESSAGE_CHARS);
  return { kind: 'invalid', pointer: cut(pointer), reason: cut(reason) };
}
