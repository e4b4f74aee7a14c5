import type { SchemaViolation } from '@gatehouse/contracts';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { LRUCache } from 'lru-cache';
import { compileSchema } from './ajv.ts';
import { OverBudget, withTimeBudget } from './time-budget.ts';

/** A schema to compile and, where a body is given, to hold that against; both as JSON text. */
export interface SchemaTask {
  readonly schema: string;
  readonly body?: string;
  /** For each of the two steps. */
  readonly budgetMs: number;
}

export type SchemaVerdict =
  | { readonly kind: 'invalid_schema'; readonly why: string }
  | { readonly kind: 'unchecked'; readonly why: string }
  | { readonly kind: 'checked'; readonly violations: readonly SchemaViolation[] };

const MAX_COMPILED = 64;
const MAX_VIOLATIONS = 20;

const compiled = new LRUCache<string, ValidateFunction>({ max: MAX_COMPILED });

/** What the pool runs: a caller's schema never meets the validator on the thread that serves requests. */
export default function judge({ schema, body, budgetMs }: SchemaTask): SchemaVerdict {
  let validate: ValidateFunction;
  try {
    validate = compiled.get(schema) ?? withTimeBudget(() => compileSchema(schema), budgetMs);
    compiled.set(schema, validate);
  } catch (error) {
    return { kind: 'invalid_schema', why: complexity(error) ?? (error as Error).message };
  }
  if (body === undefined) return { kind: 'checked', violations: [] };
  try {
    return { kind: 'checked', violations: withTimeBudget(() => violationsOf(validate, JSON.parse(body)), budgetMs) };
  } catch (error) {
    // Whatever was stopped in its midst is not used again.
    compiled.delete(schema);
    return { kind: 'unchecked', why: complexity(error) ?? 'the validator failed' };
  }
}

function complexity(error: unknown): string | undefined {
  if (error instanceof OverBudget) return 'it takes longer than its time budget';
  return error instanceof RangeError ? 'it is too complex' : undefined;
}

function violationsOf(validate: ValidateFunction, body: unknown): SchemaViolation[] {
  if (validate(body) === true) return [];
  return (validate.errors ?? []).slice(0, MAX_VIOLATIONS).map(({ instancePath, message }) => ({
    path: instancePath,
    message: `${instancePath === '' ? 'the body' : instancePath} ${message ?? 'is not valid'}`,
  }));
}

// The first compilation pays for the meta-schema; it is paid before the first caller.
judge({ schema: '{"type":"object","properties":{"id":{"type":"integer"}}}', body: '{}', budgetMs: 10_000 });
