import { compileCheck } from './check.ts';
import { InvalidSchema } from './reading/fault.ts';
import type { ReadSchema } from './reading/read.ts';
import { OverBudget, Starved, TimeBudget } from './time-budget.ts';
import type { Check } from './violation.ts';

/** Why a schema has no check. */
export type Refused =
  | { readonly kind: 'busy' }
  | { readonly kind: 'invalid'; readonly pointer: string; readonly reason: string };

const budget = new TimeBudget();

/** The check of a schema, made within a time budget, or why there is none. */
export function tryCompile(
  schema: ReadSchema,
  judge?: (schema: ReadSchema) => void,
): { readonly kind: 'compiled'; readonly check: Check } | Refused {
  try {
    const check = budget.run(() => {
      judge?.(schema);
      return compileCheck(schema);
    });
    return { kind: 'compiled', check };
  } catch (error) {
    return refused(error);
  }
}

/** Messages repeat parts of the schema. */
const MAX_MESSAGE_CHARS = 8 * 1024;

export function refused(error: unknown): Refused {
  if (error instanceof Starved) return { kind: 'busy' };
  const pointer = error instanceof InvalidSchema ? error.pointer : '';
  const reason = complexityOf(error) ?? (error as Error).message;
  const cut = (text: string) => text.slice(0, MAX_MESSAGE_CHARS);
  return { kind: 'invalid', pointer: cut(pointer), reason: cut(reason) };
}

export function complexityOf(error: unknown): string | undefined {
  if (error instanceof OverBudget) return 'it takes longer than its time budget';
  return error instanceof RangeError ? 'it is too complex' : undefined;
}
