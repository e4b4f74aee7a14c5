import type { ValidateFunction } from 'ajv/dist/2020.js';
import { compileSchema, InvalidSchema } from './ajv.ts';
import { OverBudget, Starved, withTimeBudget } from './time-budget.ts';

/** A schema to compile, as JSON text. */
export interface CompileTask {
  readonly schema: string;
  readonly budgetMs: number;
}

export type CompileResult =
  | { readonly kind: 'compiled' }
  | { readonly kind: 'busy' }
  | { readonly kind: 'invalid'; readonly pointer: string; readonly why: string };

/**
 * What the pool runs: a caller's schema never meets the validator on the thread that
 * serves requests.
 */
export default function compile(task: CompileTask): CompileResult {
  const { result } = tryCompile(task);
  return result;
}

/**
 * Longer messages, which repeat parts of the schema, are cut here, before they are passed
 * on.
 */
const MAX_MESSAGE_CHARS = 8 * 1024;

/** The compiled schema, or why there is none. */
export function tryCompile({ schema, budgetMs }: CompileTask): {
  validate?: ValidateFunction;
  result: CompileResult;
} {
  try {
    const validate = withTimeBudget(() => compileSchema(schema), budgetMs);
    return { validate, result: { kind: 'compiled' } };
  } catch (error) {
    if (error instanceof Starved) return { result: { kind: 'busy' } };
    const pointer = error instanceof InvalidSchema ? error.pointer : '';
    const why = complexityOf(error) ?? (error as Error).message;
    const cut = (text: string) => text.slice(0, MAX_MESSAGE_CHARS);
    return { result: { kind: 'invalid', pointer: cut(pointer), why: cut(why) } };
  }
}

export function complexityOf(error: unknown): string | undefined {
  if (error instanceof OverBudget) return 'it takes longer than its time budget';
  return error instanceof RangeError ? 'it is too complex' : undefined;
}

// The first compilation pays for the meta-schema; it is paid before the first caller.
compile({ schema: '{"type":"object","properties":{"id":{"type":"integer"}}}', budgetMs: 10_000 });
