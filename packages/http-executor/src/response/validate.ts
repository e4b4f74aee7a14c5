import type { Violation } from '@gatehouse/contracts';
import { JsonFault } from '@gatehouse/json-text';
import { LRUCache } from 'lru-cache';
import type { Check } from '../schema/body-check.ts';
import { compileCheck } from '../schema/check.ts';
import type { ReadSchema } from '../schema/reading/read.ts';
import { type NumericWords, numericWords } from '../schema/stand-ins.ts';
import { complexityOf, Starved, TimeBudget } from '../schema/time-budget.ts';
import { fitsParsed } from './parsed-size.ts';
import { readForSchema, unchecked, type Validate } from './read-for-schema.ts';

const MAX_COMPILED = 64;
const MAX_COMPILED_CHARS = 512 * 1024;

/** Numbers of many digits take a hundred times as long as others. */
const READ_BUDGET_MS = 1_000;

interface Compiled {
  readonly check: Check;
  readonly words: NumericWords;
}

/** Applies schemas to bodies, within time and memory; keeps those that it has compiled. */
export class SchemaValidator {
  readonly #compiled = new LRUCache<string, Compiled>({
    max: MAX_COMPILED,
    maxSize: MAX_COMPILED_CHARS,
  });
  readonly #budget = new TimeBudget();

  /** In this order: too much memory; what validators disagree on; what breaks the schema. */
  for(schema: ReadSchema, maxParsedBytes: number): Validate {
    return (document) =>
      fitsParsed(document, maxParsedBytes)
        ? this.#apply(schema, document)
        : unchecked('parsed, it needs more memory than allowed');
  }

  /** @throws {JsonFault} */
  #apply(schema: ReadSchema, document: Buffer): readonly Violation[] {
    const key = `${schema.dialect} ${schema.text}`;
    try {
      const { check, words } = this.#compiled.get(key) ?? this.#compile(schema, key);
      const read = () => readForSchema(document, words);
      const { text, violations } = this.#budget.run(read, READ_BUDGET_MS);
      if (violations.length > 0) return violations;
      // Once: a value of each try would take the memory of several.
      const value = JSON.parse(text);
      return this.#budget.run(() => check(value));
    } catch (error) {
      if (error instanceof JsonFault) throw error;
      // A check that was stopped halfway may be left in any state.
      this.#compiled.delete(key);
      if (error instanceof Starved)
        return unchecked('it takes longer than its time budget, or the executor is too busy');
      return unchecked(complexityOf(error) ?? 'the validator failed');
    }
  }

  #compile(schema: ReadSchema, key: string): Compiled {
    const check = this.#budget.run(() => compileCheck(schema));
    const made = { check, words: numericWords(schema.text) };
    this.#compiled.set(key, made, { size: key.length });
    return made;
  }
}
