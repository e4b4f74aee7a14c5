import { pointerToken, type Violation } from '@gatehouse/contracts';
import type { ErrorObject } from 'ajv';

const NOUNS: Record<string, string> = {
  array: 'an array',
  boolean: 'a boolean',
  integer: 'an integer',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

const MAX_POINTER_CHARS = 300;

/** Ajv's error in our words, with a pointer to the member that has to change. */
export function describeViolation(error: ErrorObject): Violation {
  const { instancePath, keyword, params, parentSchema } = error;
  if (keyword === 'required') {
    return {
      pointer: `${instancePath}/${pointerToken(params.missingProperty)}`,
      message: 'is required',
    };
  }
  if (keyword === 'additionalProperties') {
    const known = Object.keys(parentSchema?.properties ?? {}).join(', ');
    const pointer = `${instancePath}/${pointerToken(params.additionalProperty)}`
      .slice(0, MAX_POINTER_CHARS)
      .toWellFormed();
    return { pointer, message: `is not a known member; known here: ${known}` };
  }
  return { pointer: instancePath, message: parentSchema?.['x-violation'] ?? requirement(error) };
}

function requirement({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'type':
      return `must be ${[params.type]
        .flat()
        .map((type: string) => NOUNS[type])
        .join(' or ')}`;
    case 'enum':
      return `must be one of ${params.allowedValues.join(', ')}`;
    case 'minimum':
      return `must be at least ${params.limit}`;
    case 'maximum':
      return `must be at most ${params.limit}`;
    case 'maxLength':
      return `must have at most ${params.limit} characters`;
    case 'minLength':
      return `must have at least ${params.limit} characters`;
    case 'maxItems':
      return `must have at most ${params.limit} items`;
    case 'minItems':
      return `must have at least ${params.limit} items`;
    default:
      return message ?? 'is not valid';
  }
}
