import { MAX_VIOLATIONS, type Violation } from '@gatehouse/contracts';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { compileWithAjv, type ReadSchema, withPlainNot } from './ajv.ts';
import { type BodyLimits, bodyViolation, inspectBody, unchecked } from './body.ts';
import {
  type Budget,
  complexityOf,
  FULL_TRIES,
  OverBudget,
  Starved,
  type TimeBudget,
} from './time-budget.ts';

/** Time limit for listing errors. In 20 ms, Ajv lists about 10,000 errors, so memory stays low. */
const LISTING: Budget = { ms: 20, tries: FULL_TRIES };

/** Matches keywords that can make a check slow, such as `$ref`, `pattern` and `uniqueItems`. */
const SLOW_KEYWORD =
  /"(?:\$(?:dynamic|recursive)?[rR]ef|uniqueItems|multipleOf|divisibleBy|pattern|patternProperties|unevaluatedItems|unevaluatedProperties)":|"format":"(?!(?:date-time|date|time|uuid|email|uri|int32|int64|float|double)")/;

/**
 * A body within these size limits is checked without a timer. Within these limits, a check takes
 * about 25 ms if the schema has no slow keywords.
 */
const QUICK = { schemaChars: 8 * 1024, schemaCharsTimesBytes: 4 * 1024 * 1024 };

export interface CheckLimits extends BodyLimits {
  /** Time limit for checking the body, and also for compiling the schema if necessary. */
  readonly budget: Budget;
}

export class SchemaCheck {
  readonly #schema: ReadSchema;
  readonly #timer: TimeBudget;
  /** Validators that list all errors (key `true`) or stop at the first error (key `false`). */
  readonly #compiled = new Map<boolean, ValidateFunction>();

  constructor(schema: ReadSchema, timer: TimeBudget) {
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
      // Parse the body outside the timed check, so that retrying the check does not parse it again.
      return this.#apply(JSON.parse(document.toString()), document.length, limits.budget);
    } catch (error) {
      // Discard the validators, because an interrupted validator can be in an inconsistent state.
      this.#compiled.clear();
      if (error instanceof OverBudget || error instanceof Starved) throw error;
      return unchecked(complexityOf(error) ?? 'the validator failed unexpectedly');
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

/** True if checking a body of this size is quick enough to need no timer. */
export function isQuickCheck({ text }: ReadSchema, bytes: number): boolean {
  if (text.length > QUICK.schemaChars || text.length * bytes > QUICK.schemaCharsTimesBytes)
    return false;
  return !SLOW_KEYWORD.test(text);
}

function violationsOf(validate: ValidateFunction, value: unknown): Violation[] {
  if (validate(value) === true) return [];
  return (validate.errors ?? [])
    .slice(0, MAX_VIOLATIONS)
    .map((error) => bodyViolation(error.instancePath, violationMessage(error)));
}

function violationMessage(error: ErrorObject): string | undefined {
  const { keyword, params, parentSchema, message } = error;
  if (keyword === 'additionalProperties')
    return unknownProperty(params.additionalProperty, parentSchema);
  if (keyword === 'unevaluatedProperties') return unknownProperty(params.unevaluatedProperty);
  return withPlainNot(message);
}

/**
 * Describes an unknown property, and lists the known properties if `schema` is given.
 * INVARIANT: never shorten the name, because redaction would not recognize a shortened secret.
 */
function unknownProperty(name: string, schema?: Record<string, unknown>): string {
  const message = `has an unknown property \`${name}\``;
  if (schema === undefined) return message;
  const patterns = Object.keys(schema.patternProperties ?? {}).map((each) => `/${each}/`);
  const known = [...Object.keys(schema.properties ?? {}), ...patterns];
  return `${message}; known: ${known.length === 0 ? 'none' : known.join(', ')}`;
}
