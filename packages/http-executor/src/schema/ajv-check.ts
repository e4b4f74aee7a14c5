import { MAX_VIOLATIONS, type Violation } from '@gatehouse/contracts';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { ajvOf, compile, TooManyErrors } from './ajv.ts';
import { bodyViolation, type Check, unknownProperty } from './body-check.ts';
import { formatMessage } from './formats.ts';
import type { ReadSchema } from './reading/read.ts';

/** A check by Ajv. @throws {Error} when it cannot compile the schema. */
export function ajvCheck({ dialect, text }: ReadSchema): Check {
  const schema = JSON.parse(text);
  const build = ajvOf(dialect);
  const validate = compile(schema, { build, allErrors: true });
  return (value) => {
    try {
      return violationsOf(validate, value);
    } catch (error) {
      if (!(error instanceof TooManyErrors)) throw error;
      // Of too many violations only the first is found.
      return violationsOf(compile(schema, { build, allErrors: false }), value);
    }
  };
}

export function violationsOf(validate: ValidateFunction, value: unknown): Violation[] {
  if (validate(value) === true) return [];
  return (validate.errors ?? [])
    .slice(0, MAX_VIOLATIONS)
    .map((error) => bodyViolation(error.instancePath, messageOf(error)));
}

function messageOf({ keyword, params, parentSchema, message }: ErrorObject): string | undefined {
  if (keyword === 'format') return formatMessage(params.format);
  if (keyword === 'additionalProperties')
    return unknownProperty(params.additionalProperty, parentSchema);
  if (keyword === 'unevaluatedProperties') return unknownProperty(params.unevaluatedProperty);
  return message;
}
