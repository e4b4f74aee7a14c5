import type { Violation } from '@gatehouse/contracts';
import type { ValidateFunction } from 'ajv';
import { compileWithAjv, type TranslatedSchema } from './ajv.ts';
import { type BodyLimits, inspectBody } from './body.ts';
import { isQuickCheck } from './quick-check.ts';
import {
  type Budget,
  FULL_TRIES,
  OverBudget,
  Starved,
  type TimeBudget,
  TOO_COMPLEX,
} from './time-budget.ts';
import { unchecked, violationsOf } from './violations.ts';

/** Time limit for listing errors. Ajv lists about 500 errors per ms, so this also limits memory. */
const LISTING: Budget = { ms: 20, tries: FULL_TRIES };

interface CheckLimits extends BodyLimits {
  /** Time limit for checking the body, and also for compiling the schema if necessary. */
  readonly budget: Budget;
}

export class SchemaCheck {
  readonly #schema: TranslatedSchema;
  readonly #timer: TimeBudget;
  /** Validators that list all errors (key `true`) or stop at the first error (key `false`). */
  readonly #compiled = new Map<boolean, ValidateFunction>();

  constructor(schema: TranslatedSchema, timer: TimeBudget) {
    this.#schema = schema;
    this.#timer = timer;
  }

  /**
   * Returns up to 20 violations, or an empty list if the body is valid. Applies the schema only if
   * `inspectBody` finds no violation.
   * @throws {JsonFault} if the body is not JSON or is nested too deeply
   * @throws {OverBudget | Starved} if the check takes too long
   */
  violationsIn(document: Buffer, limits: CheckLimits): readonly Violation[] {
    const found = inspectBody(document, limits);
    if (found.length > 0) return found;
    try {
      // Parse the body before the check, because a check that runs out of time may be run again.
      return this.#apply(JSON.parse(document.toString()), document.length, limits.budget);
    } catch (error) {
      // Discard the validators, because an interrupted validator can be in an inconsistent state.
      this.#compiled.clear();
      if (error instanceof OverBudget || error instanceof Starved) throw error;
      return unchecked(
        error instanceof RangeError ? TOO_COMPLEX : 'the validator failed unexpectedly',
      );
    }
  }

  #apply(value: unknown, bytes: number, budget: Budget): readonly Violation[] {
    const first = this.#validator(false, budget);
    const check = () => violationsOf(first, value);
    // Skip the time limit for a quick check, because enforcing the limit would double the CPU time.
    const found = isQuickCheck(this.#schema, bytes) ? check() : this.#timer.run(check, budget);
    if (found.length === 0) return found;
    const all = this.#validator(true, budget);
    try {
      return this.#timer.run(() => violationsOf(all, value), LISTING);
    } catch {
      this.#compiled.delete(true);
      return found;
    }
  }

  #validator(allErrors: boolean, budget: Budget): ValidateFunction {
    const known = this.#compiled.get(allErrors);
    if (known !== undefined) return known;
    const compiled = this.#timer.run(() => compileWithAjv(this.#schema, allErrors), budget);
    this.#compiled.set(allErrors, compiled);
    return compiled;
  }
}
