import type { TSchema } from '@sinclair/typebox';
import type { JSONSchema7 } from 'ai';

/** Words of our validator, and words that some providers refuse. */
const LEFT_OUT = /^(?:x-.*|format|pattern|propertyNames)$/;

/** A schema for a model to read; `null` counts as absent, so that it need not know of it. */
export function schemaForModel(schema: TSchema): JSONSchema7 {
  const text = JSON.stringify(schema, (key, value) => {
    if (LEFT_OUT.test(key)) return undefined;
    if (key === 'type' && Array.isArray(value)) return value.find((type) => type !== 'null');
    if (key === 'enum' && Array.isArray(value)) return value.filter((word) => word !== null);
    return value?.['x-shown'] ?? value;
  });
  return JSON.parse(text);
}
