import { MAX_VIOLATIONS, type Violation } from '@gatehouse/contracts';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { compile } from './ajv.ts';
import { formatMessage } from './formats.ts';
import type { ReadSchema } from './reading/read.ts';

/** A schema compiled by Ajv. An empty list means that the value is valid. */
export interface Check {
  /** The first violation. */
  first(value: unknown): readonly Violation[];
  /** Compiles the check that lists up to 20 violations. Ajv finds them all, however many. */
  listing(): (value: unknown) => readonly Violation[];
}

/** @throws {InvalidSchema} when Ajv cannot compile the schema. */
export function compileCheck(schema: ReadSchema): Check {
  const first = compile(schema, false);
  let all: ValidateFunction | undefined;
  return {
    first: (value) => violationsOf(first, value),
    listing: () => {
      const validate = all ?? compile(schema, true);
      all = validate;
      return (value) => violationsOf(validate, value);
    },
  };
}

function violationsOf(validate: ValidateFunction, value: unknown): Violation[] {
  if (validate(value) === true) return [];
  return (validate.errors ?? [])
    .slice(0, MAX_VIOLATIONS)
    .map((error) => bodyViolation(error.instancePath, messageOf(error)));
}

export function bodyViolation(pointer: string, message = 'is not valid'): Violation {
  return { pointer, message: `${pointer === '' ? 'the body' : pointer} ${message}` };
}

function messageOf({ keyword, params, parentSchema, message }: ErrorObject): string | undefined {
  if (keyword === 'format') return formatMessage(params.format);
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
