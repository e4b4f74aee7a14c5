import { MAX_VIOLATIONS, type Violation } from '@gatehouse/contracts';
import type { ErrorObject, ValidateFunction } from 'ajv';

export function violationsOf(validate: ValidateFunction, value: unknown): Violation[] {
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
 * INVARIANT: never shorten the name, because redaction could then miss a secret in the name.
 */
function unknownProperty(name: string, schema?: Record<string, unknown>): string {
  const message = `has an unknown property \`${name}\``;
  if (schema === undefined) return message;
  const patterns = Object.keys(schema.patternProperties ?? {}).map((each) => `/${each}/`);
  const known = [...Object.keys(schema.properties ?? {}), ...patterns];
  return `${message}; known: ${known.length === 0 ? 'none' : known.join(', ')}`;
}

/** Replaces "must NOT" at the start of an Ajv message with "must not". */
export function withPlainNot(message: string | undefined): string | undefined {
  return message?.replace(/^must NOT /, 'must not ');
}

export function bodyViolation(pointer: string, message = 'is not valid'): Violation {
  return { pointer, message: `${pointer === '' ? 'the body' : pointer} ${message}` };
}

export function unchecked(reason: string): Violation[] {
  return [{ pointer: '', message: `the body could not be checked: ${reason}` }];
}
