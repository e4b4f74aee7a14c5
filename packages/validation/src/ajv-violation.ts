import { MAX_VIOLATION_CHARS, pointerToken, type Violation } from '@gatehouse/contracts';
import type { ErrorObject } from 'ajv';

/** What a bound asks for; `#` stands for it. */
const BOUNDS: Record<string, string> = {
  minimum: 'must be at least #',
  maximum: 'must be at most #',
  maxLength: 'must have at most # characters',
  minLength: 'must have at least # characters',
  maxItems: 'must have at most # items',
  minItems: 'must have at least # items',
};

/** Ajv's error in our words, with a pointer to the member that has to change. */
export function describeViolation(error: ErrorObject): Violation {
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
  if (keyword === 'type') {
    const nouns = [params.type].flat().map(nounOf);
    return `must be ${nouns.join(' or ')}`;
  }
  if (keyword === 'enum') {
    const values = params.allowedValues.filter((value: unknown) => value !== null);
    return `must be one of ${values.join(', ')}`;
  }
  return BOUNDS[keyword]?.replace('#', params.limit) ?? message ?? 'is not valid';
}

function nounOf(type: string): string {
  if (type === 'null') return type;
  return /^[aio]/.test(type) ? `an ${type}` : `a ${type}`;
}
