import type { Violation } from '@gatehouse/contracts';
import { JsonFault } from '@gatehouse/json-text';
import { LRUCache } from 'lru-cache';
import { type Check, compileCheck } from './check.ts';
import { findDisputed } from './disputed.ts';
import { fitsParsed } from './parsed-size.ts';
import type { ReadSchema } from './reading/read.ts';
import {
  type Budget,
  complexityOf,
  FULL_TRIES,
  OverBudget,
  Starved,
  type TimeBudget,
} from './time-budget.ts';

const MAX_COMPILED = 64;
const MAX_COMPILED_CHARS = 512 * 1024;

/** Also bounds the memory of errors: Ajv keeps at most some ten thousand in this time. */
const LISTING_MS = 20;

/**
 * Lists what breaks a schema in a JSON document.
 * @throws {JsonFault} when the document is not JSON, or nests too deep.
 */
export type Validate = (document: Buffer) => readonly Violation[];

export interface ValidateLimits {
  /** Levels of the body. */
  readonly maxDepth: number;
  /** Memory for the parsed body. */
  readonly maxParsedBytes: number;
  /** For compiling the schema, and again for the check. */
  readonly budget: Budget;
}

/** Applies schemas to bodies, within time and memory; keeps those that it has compiled. */
export class SchemaValidator {
  readonly #compiled = new LRUCache<string, Check>({
    max: MAX_COMPILED,
    maxSize: MAX_COMPILED_CHARS,
  });
  readonly #timer: TimeBudget;

  constructor(timer: TimeBudget) {
    this.#timer = timer;
  }

  /**
   * Reports the first of: too much memory; what validators disagree on; what breaks the schema.
   * The result throws `OverBudget` and `Starved`.
   */
  for(schema: ReadSchema, limits: ValidateLimits): Validate {
    return (document) =>
      fitsParsed(document, limits.maxParsedBytes, limits.maxDepth)
        ? this.#apply(schema, document, limits)
        : unchecked('parsed, it needs more memory than allowed');
  }

  #apply(
    schema: ReadSchema,
    document: Buffer,
    { budget, maxDepth }: ValidateLimits,
  ): readonly Violation[] {
    const key = `${schema.dialect} ${schema.text}`;
    try {
      const check = this.#compiled.get(key) ?? this.#compile(schema, key, budget);
      const disputed = findDisputed(document, maxDepth);
      if (disputed.length > 0) return disputed;
      // Parsed once, because the value of each try would take the memory of several.
      const value = JSON.parse(document.toString());
      const found = this.#timer.run(() => check.first(value), budget);
      return found.length === 0 ? found : (this.#list(check, value, budget) ?? found);
    } catch (error) {
      if (error instanceof JsonFault) throw error;
      // A check that was stopped halfway may be left in any state.
      this.#compiled.delete(key);
      if (error instanceof OverBudget || error instanceof Starved) throw error;
      return unchecked(complexityOf(error) ?? 'the validator failed');
    }
  }

  /** Lists up to 20 violations, unless finding them all takes too long. */
  #list(check: Check, value: unknown, budget: Budget): readonly Violation[] | undefined {
    const listing = this.#timer.run(() => check.listing(), budget);
    try {
      return this.#timer.run(() => listing(value), { ms: LISTING_MS, tries: FULL_TRIES });
    } catch {
      return undefined;
    }
  }

  #compile(schema: ReadSchema, key: string, budget: Budget): Check {
    const check = this.#timer.run(() => compileCheck(schema), budget);
    this.#compiled.set(key, check, { size: key.length });
    return check;
  }
}

/** Stands in for violations where the schema could not be applied. */
export function unchecked(reason: string): Violation[] {
  return [{ pointer: '', message: `the body could not be checked: ${reason}` }];
}
