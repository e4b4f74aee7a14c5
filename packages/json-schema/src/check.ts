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

/**
 * Time limit in milliseconds for listing errors. It also limits memory, because only about 10,000
 * errors can be listed in this time.
 */
const LISTING_MS = 20;

/**
 * Keywords that can make a check slow. Without them, a check takes at most as long as evaluating
 * each subschema for each value of the body.
 */
const SLOW_KEYWORD =
  /"(?:\$(?:dynamic|recursive)?[rR]ef|uniqueItems|multipleOf|divisibleBy|pattern|patternProperties|unevaluatedItems|unevaluatedProperties)":|"format":"(?!(?:date-time|date|time|uuid|email|uri|int32|int64|float|double)")/;

/**
 * Size limits for schema and body. Within them, a check takes at most about 25 ms if the schema has
 * no `SLOW_KEYWORD`.
 */
const QUICK = { schemaChars: 8 * 1024, schemaCharsTimesBytes: 4 * 1024 * 1024 };

export interface CheckLimits extends BodyLimits {
  /** Budget for the check. Compiling the schema gets a budget of the same size. */
  readonly budget: Budget;
}

export class SchemaCheck {
  readonly #schema: ReadSchema;
  readonly #timer: TimeBudget;
  /**
   * Compiled validators: `true` for one that lists all errors, `false` for a faster one that stops
   * at the first error.
   */
  readonly #compiled = new Map<boolean, ValidateFunction>();

  constructor(schema: ReadSchema, timer: TimeBudget) {
    this.#schema = schema;
    this.#timer = timer;
  }

  /**
   * Returns the violations that `inspectBody` finds or, if there are none, up to 20 violations of
   * the schema. An empty list means that the body is valid.
   * @throws {JsonFault} if the body is not JSON, or is nested too deeply
   * @throws {OverBudget}
   * @throws {Starved}
   */
  violationsIn(document: Buffer, limits: CheckLimits): readonly Violation[] {
    const found = inspectBody(document, limits);
    if (found.length > 0) return found;
    try {
      // Parse before the first try, because each try would otherwise hold its own copy in memory.
      return this.#apply(JSON.parse(document.toString()), document.length, limits.budget);
    } catch (error) {
      // A check that was stopped may have left its validator in an inconsistent state.
      this.#compiled.clear();
      if (error instanceof OverBudget || error instanceof Starved) throw error;
      return unchecked(complexityOf(error) ?? 'the validator failed unexpectedly');
    }
  }

  #apply(value: unknown, bytes: number, budget: Budget): readonly Violation[] {
    const first = this.#validator(false, budget);
    const check = () => violationsOf(first, value);
    // Fast path: starting the timer's thread would double the processor time of an execution.
    const found = isQuickCheck(this.#schema, bytes) ? check() : this.#timer.run(check, budget);
    if (found.length === 0) return found;
    const all = this.#validator(true, budget);
    try {
      const listing = { ms: LISTING_MS, tries: FULL_TRIES };
      return this.#timer.run(() => violationsOf(all, value), listing);
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

/** True if checking a body of this size is certain to be quick, so that it needs no timer. */
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

function violationMessage({
  keyword,
  params,
  parentSchema,
  message,
}: ErrorObject): string | undefined {
  if (keyword === 'additionalProperties')
    return unknownProperty(params.additionalProperty, parentSchema);
  if (keyword === 'unevaluatedProperties') return unknownProperty(params.unevaluatedProperty);
  return withPlainNot(message);
}

/**
 * Lists the known properties if `schema` is given. Omit `schema` if `oneOf` or `anyOf` branches may
 * define more properties.
 * INVARIANT: the name is not shortened, because redaction would miss a secret that was cut.
 */
function unknownProperty(name: string, schema?: Record<string, unknown>): string {
  const message = `has an unknown property \`${name}\``;
  if (schema === undefined) return message;
  const patterns = Object.keys(schema.patternProperties ?? {}).map((each) => `/${each}/`);
  const known = [...Object.keys(schema.properties ?? {}), ...patterns];
  return `${message}; known: ${known.length === 0 ? 'none' : known.join(', ')}`;
}
