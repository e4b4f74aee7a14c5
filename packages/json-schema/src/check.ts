import { MAX_VIOLATIONS, type Violation } from '@gatehouse/contracts';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { compile, type ReadSchema } from './ajv.ts';
import { type BodyLimits, bodyViolation, inspectBody, unchecked } from './body.ts';
import {
  type Budget,
  complexityOf,
  FULL_TRIES,
  OverBudget,
  Starved,
  type TimeBudget,
} from './time-budget.ts';

/** Also bounds the memory of errors: Ajv keeps at most some ten thousand in this time. */
const LISTING_MS = 20;

export interface CheckLimits extends BodyLimits {
  /** For compiling the schema, and again for the check. */
  readonly budget: Budget;
}

/** Lists what breaks a schema in a JSON document. @throws {JsonFault} when it is not JSON. */
export type Validate = (document: Buffer) => readonly Violation[];

/** Checks bodies against one schema, which it compiles when it is first needed. */
export class SchemaCheck {
  readonly #schema: ReadSchema;
  readonly #timer: TimeBudget;
  /** By whether it finds all errors; finding the first one is quicker. */
  readonly #compiled = new Map<boolean, ValidateFunction>();

  constructor(schema: ReadSchema, timer: TimeBudget) {
    this.#schema = schema;
    this.#timer = timer;
  }

  /**
   * Reports the first of: too much memory; what validators disagree on; up to 20 violations of the
   * schema. An empty list means that the body is valid.
   * @throws {JsonFault} when the body is not JSON, or nests too deep.
   * @throws {OverBudget} @throws {Starved}
   */
  violationsIn(document: Buffer, limits: CheckLimits): readonly Violation[] {
    const found = inspectBody(document, limits);
    if (found.length > 0) return found;
    try {
      // Parsed once, because the value of each try would take the memory of several.
      return this.#apply(JSON.parse(document.toString()), limits.budget);
    } catch (error) {
      // A check that was stopped halfway may be left in any state.
      this.#compiled.clear();
      if (error instanceof OverBudget || error instanceof Starved) throw error;
      return unchecked(complexityOf(error) ?? 'the validator failed');
    }
  }

  #apply(value: unknown, budget: Budget): readonly Violation[] {
    const first = this.#validator(false, budget);
    const found = this.#timer.run(() => violationsOf(first, value), budget);
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
    const compiled = this.#timer.run(() => compile(this.#schema, allErrors), budget);
    this.#compiled.set(allErrors, compiled);
    return compiled;
  }
}

function violationsOf(validate: ValidateFunction, value: unknown): Violation[] {
  if (validate(value) === true) return [];
  return (validate.errors ?? [])
    .slice(0, MAX_VIOLATIONS)
    .map((error) => bodyViolation(error.instancePath, messageOf(error)));
}

function messageOf({ keyword, params, parentSchema, message }: ErrorObject): string | undefined {
  if (keyword === 'additionalProperties')
    return unknownProperty(params.additionalProperty, parentSchema);
  if (keyword === 'unevaluatedProperties') return unknownProperty(params.unevaluatedProperty);
  return message;
}

/**
 * Without a schema, the known ones are not listed: they are in branches.
 * INVARIANT: the name is whole, because half of a secret would not be redacted.
 */
function unknownProperty(name: string, schema?: Record<string, unknown>): string {
  const message = `has an unknown property \`${name}\``;
  if (schema === undefined) return message;
  const patterns = Object.keys(schema.patternProperties ?? {}).map((each) => `/${each}/`);
  const known = [...Object.keys(schema.properties ?? {}), ...patterns];
  return `${message}; known: ${known.length === 0 ? 'none' : known.join(', ')}`;
}
