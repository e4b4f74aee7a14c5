import { compileCheck } from './check.ts';
import { checkMetaSchema, metaValidator } from './meta-schemas.ts';
import { InvalidSchema } from './reading/invalid-schema.ts';
import { type ReadSchema, readSchema } from './reading/read.ts';
import { rewrite } from './reading/rewrite.ts';
import { refuseUnsupported } from './reading/unsupported.ts';
import { type Budget, complexityOf, OverBudget, Starved, type TimeBudget } from './time-budget.ts';

export type CompileResult =
  | { readonly kind: 'compiled'; readonly schema: ReadSchema }
  | { readonly kind: 'invalid'; readonly pointer: string; readonly reason: string };

/**
 * Checks that a schema, given as JSON text, can be used; each step may take the budget.
 * @throws {OverBudget} @throws {Starved}
 */
export function compileSchemaText(text: string, timer: TimeBudget, budget: Budget): CompileResult {
  try {
    const read = timer.run(() => readSchema(text), budget);
    // Compiled once for all schemas of a dialect, so it does not count against this one.
    metaValidator(read.dialect);
    const schema = timer.run(() => {
      checkMetaSchema(read);
      refuseUnsupported(read);
      return rewrite(read);
    }, budget);
    timer.run(() => compileCheck(schema), budget);
    return { kind: 'compiled', schema };
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
