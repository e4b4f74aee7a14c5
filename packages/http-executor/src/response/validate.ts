import type { Violation } from '@gatehouse/contracts';
import { JsonFault } from '@gatehouse/json-text';
import { LRUCache } from 'lru-cache';
import type { Check } from '../schema/body-check.ts';
import { compileCheck } from '../schema/check.ts';
import type { ReadSchema } from '../schema/reading/read.ts';
import {
  type Budget,
  complexityOf,
  OverBudget,
  Starved,
  type TimeBudget,
} from '../schema/time-budget.ts';
import { fitsParsed } from './parsed-size.ts';
import { findDisputed, unchecked, type Validate } from './read-for-schema.ts';

const MAX_COMPILED = 64;
const MAX_COMPILED_CHARS = 512 * 1024;

interface ValidateLimits {
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
  for(schema: ReadSchema, { maxParsedBytes, budget }: ValidateLimits): Validate {
    return (document) =>
      fitsParsed(document, maxParsedBytes)
        ? this.#apply(schema, document, budget)
        : unchecked('parsed, it needs more memory than allowed');
  }

  #apply(schema: ReadSchema, document: Buffer, budget: Budget): readonly Violation[] {
    const key = `${schema.dialect} ${schema.text}`;
    try {
      const check = this.#compiled.get(key) ?? this.#compile(schema, key, budget);
      const disputed = findDisputed(document);
      if (disputed.length > 0) return disputed;
      // Parsed once, because the value of each try would take the memory of several.
      const value = JSON.parse(document.toString());
      return this.#timer.run(() => check(value), budget);
    } catch (error) {
      if (error instanceof JsonFault) throw error;
      // A check that was stopped halfway may be left in any state.
      this.#compiled.delete(key);
      if (error instanceof OverBudget || error instanceof Starved) throw error;
      return unchecked(complexityOf(error) ?? 'the validator failed');
    }
  }

  #compile(schema: ReadSchema, key: string, budget: Budget): Check {
    const check = this.#timer.run(() => compileCheck(schema), budget);
    this.#compiled.set(key, check, { size: key.length });
    return check;
  }
}
