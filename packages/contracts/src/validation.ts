import './node-version.ts';
import type { Static, TSchema } from '@sinclair/typebox';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { MAX_VIOLATION_CHARS, MAX_VIOLATIONS, pointerToken, type Violation } from './violation.ts';

export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly violations: Violation[] };

type Formats = Readonly<Record<string, (text: string) => boolean>>;

const OPTIONS = {
  allErrors: true,
  verbose: true,
  allowUnionTypes: true,
  discriminator: true,
  // Skip the slow meta-schema check, because TypeScript and Ajv's strict mode catch schema errors.
  meta: false,
  validateSchema: false,
};

/**
 * Returns a function that checks values against a schema that is part of Gatehouse, never a schema
 * from a caller. The function lists at most 20 violations, and never changes the value. It compiles
 * the schema when it is first called, because most programs use few of the schemas that they load.
 */
export function compileValidator<T extends TSchema>(
  schema: T,
  formats: Formats = {},
): (value: unknown) => Checked<Static<T>> {
  let compiled: ValidateFunction<Static<T>> | undefined;
  return (value) => {
    compiled ??= compile<Static<T>>(schema, formats);
    const validate = compiled;
    if (validate(value)) return { ok: true, value };
    const errors = (validate.errors ?? []).slice(0, MAX_VIOLATIONS);
    return { ok: false, violations: errors.map(toViolation) };
  };
}

/** @throws Error if the schema has an unknown keyword or format */
function compile<T>(schema: TSchema, formats: Formats): ValidateFunction<T> {
  const ajv = new Ajv2020({ ...OPTIONS, formats: { ...formats } });
  ajv.addVocabulary(['x-examples', 'x-violation', 'x-unknown-member', 'x-shown']);
  return ajv.compile<T>(schema);
}

const BOUNDS: Record<string, string> = {
  minimum: 'must be at least {limit}',
  maximum: 'must be at most {limit}',
  maxLength: 'must have at most {limit} characters',
  minLength: 'must have at least {limit} characters',
  maxItems: 'must have at most {limit} items',
  minItems: 'must have at least {limit} items',
};

/** Turns an error of Ajv into a violation, with a message that says what to change. */
function toViolation(error: ErrorObject): Violation {
  const { instancePath, keyword, params, parentSchema } = error;
  const pointerTo = (member: string) => `${instancePath}/${pointerToken(member)}`;
  if (keyword === 'required')
    return { pointer: pointerTo(params.missingProperty), message: 'is required' };

  if (keyword === 'additionalProperties') {
    const known = Object.keys(parentSchema?.properties ?? {}).join(', ');
    const long = pointerTo(params.additionalProperty);
    const pointer = long.slice(0, MAX_VIOLATION_CHARS).toWellFormed();
    const message = parentSchema?.['x-unknown-member'];
    return { pointer, message: message ?? `is an unknown property; known: ${known}` };
  }

  return { pointer: instancePath, message: parentSchema?.['x-violation'] ?? requirement(error) };
}

function requirement({ keyword, params, message }: ErrorObject): string {
  if (keyword === 'type') return `must be ${[params.type].flat().map(nounOf).join(' or ')}`;
  if (keyword === 'enum') {
    const values = params.allowedValues.filter((value: unknown) => value !== null);
    return `must be one of ${values.join(', ')}`;
  }
  const bound = BOUNDS[keyword]?.replace('{limit}', params.limit).replace(/ 1 (\w+)s$/, ' 1 $1');
  return bound ?? message ?? 'is not valid';
}

function nounOf(type: string): string {
  if (type === 'null') return type;
  return /^[aio]/.test(type) ? `an ${type}` : `a ${type}`;
}
