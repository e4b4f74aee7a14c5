import { MAX_VIOLATIONS, type Violation } from '@gatehouse/contracts';
import type { ErrorObject } from 'ajv';

/**
 * Longer texts are replaced rather than cut, because redaction would miss a secret that is cut.
 * Redaction shortens all others.
 */
export const MAX_CHARS = 8_192;

export function violationsOf(errors: readonly ErrorObject[]): Violation[] {
  return errors.slice(0, MAX_VIOLATIONS).map((error) => {
    const pointer = error.instancePath.length > MAX_CHARS ? '' : error.instancePath;
    const message = messageOf(error);
    const short = message.length > MAX_CHARS ? withPlainNot(error.message ?? '') : message;
    return bodyViolation(pointer, short);
  });
}

const toJson = (value: unknown) => JSON.stringify(value);

function messageOf({ keyword, params, parentSchema, message = 'is not valid' }: ErrorObject) {
  switch (keyword) {
    case 'additionalProperties':
      return unknownProperty(params.additionalProperty, parentSchema);
    case 'unevaluatedProperties':
      return `has an unknown property \`${params.unevaluatedProperty}\``;
    case 'enum':
      return `must be one of ${params.allowedValues.map(toJson).join(', ')}`;
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`;
    default:
      return withPlainNot(message);
  }
}

function unknownProperty(name: string, schema: ErrorObject['parentSchema']): string {
  const patterns = Object.keys(schema?.patternProperties ?? {}).map((each) => `/${each}/`);
  const known = [...Object.keys(schema?.properties ?? {}), ...patterns];
  return `has an unknown property \`${name}\`; known: ${known.join(', ') || 'none'}`;
}

/** Replaces "must NOT" at the start of an Ajv message with "must not". */
export function withPlainNot(message: string): string {
  return message.replace(/^must NOT /, 'must not ');
}

export function bodyViolation(pointer: string, message: string): Violation {
  return { pointer, message: `${pointer === '' ? 'the body' : pointer} ${message}` };
}

export function unchecked(reason: string): Violation[] {
  return [bodyViolation('', `could not be checked: ${reason}`)];
}
