import type { Violation } from '@gatehouse/contracts';

/** The first violations of a schema by a value; none: the value is valid. */
export type Check = (value: unknown) => readonly Violation[];

export function bodyViolation(pointer: string, message = 'is not valid'): Violation {
  return { pointer, message: `${pointer === '' ? 'the body' : pointer} ${message}` };
}

/**
 * Without a schema, the known ones are not listed: they are in branches.
 * INVARIANT: the name is whole, because half of a secret would not be redacted.
 */
export function unknownProperty(name: string, schema?: Record<string, unknown>): string {
  const message = `has an unknown property \`${name}\``;
  if (schema === undefined) return message;
  const patterns = Object.keys(schema.patternProperties ?? {}).map((each) => `/${each}/`);
  const known = [...Object.keys(schema.properties ?? {}), ...patterns];
  return `${message}; known: ${known.length === 0 ? 'none' : known.join(', ')}`;
}

/** What `enum` and `const` ask for. */
export function allowedValues(values: readonly unknown[]): string {
  const listed = values.map((value) => JSON.stringify(value)).join(', ');
  return values.length === 1 ? `must be ${listed}` : `must be one of ${listed}`;
}
