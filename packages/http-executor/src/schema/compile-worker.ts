import type { ValidateFunction } from 'ajv/dist/2020.js';
import { compileSchema, InvalidSchema } from './ajv.ts';
import { OverBudget, Starved, TimeBudget } from './time-budget.ts';

// The main module of a thread: what it keeps lives as long as the thread.

const budget = new TimeBudget();

export type CompileResult =
  | { readonly kind: 'compiled' }
  | { readonly kind: 'busy' }
  | { readonly kind: 'invalid'; readonly pointer: string; readonly reason: string };

/** Compiles a schema, as JSON text, away from the thread that serves requests. */
export default function compile(schema: string): CompileResult {
  return tryCompile(schema).result;
}

/** Messages repeat parts of the schema. */
const MAX_MESSAGE_CHARS = 8 * 1024;

/** The compiled schema, or why there is none. */
export function tryCompile(
  schema: string,
  ms?: number,
): { validate?: ValidateFunction; result: CompileResult } {
  try {
    const validate = budget.run(() => compileSchema(schema), ms);
    return { validate, result: { kind: 'compiled' } };
  } catch (error) {
    if (error instanceof Starved) return { result: { kind: 'busy' } };
    const pointer = error instanceof InvalidSchema ? error.pointer : '';
    const reason = complexityOf(error) ?? (error as Error).message;
    const cut = (text: string) => text.slice(0, MAX_MESSAGE_CHARS);
    return { result: { kind: 'invalid', pointer: cut(pointer), reason: cut(reason) } };
  }
}

export function complexityOf(error: unknown): string | undefined {
  if (error instanceof OverBudget) return 'it takes longer than its time budget';
  return error instanceof RangeError ? 'it is too complex' : undefined;
}

// The first compilation is slow: it compiles the meta-schema, too.
tryCompile('{"type":"object","properties":{"id":{"type":"integer"}}}', 10_000);
