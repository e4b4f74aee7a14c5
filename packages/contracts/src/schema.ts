import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox';

export const Text = (description: string) => Type.String({ description });
export const Integer = (description: string) => Type.Integer({ description });
export const Texts = (description: string) => Type.Array(Type.String(), { description });

/** String from a fixed set. Uses `enum`, which gives clearer errors than a union of literals. */
export function OneOf<const T extends readonly string[]>(
  values: T,
  description?: string,
  title?: string,
) {
  const documented = { ...(description && { description }), ...(title && { title }) };
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...documented });
}

/** Optional member. `null` counts as absent (docs/contract.md, "Strictness"). */
export function Nullish<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Unsafe<Static<T> | null>(orNull(schema)));
}

/** Returns a schema that also accepts `null`. */
function orNull({ enum: values, 'x-shown': shown, ...schema }: TSchema): TSchema {
  return {
    ...schema,
    type: [schema.type, 'null'],
    ...(values && { enum: [...values, null] }),
    ...(shown && { 'x-shown': orNull(shown) }),
  };
}

/** Returns a schema that validates like `schema` but appears as `shown` in OpenAPI documents. */
export function ShownAs<T extends TSchema>(shown: TSchema, schema: T): T {
  return { ...schema, 'x-shown': shown };
}

export const Flag = (description: string) =>
  ShownAs(Type.Boolean({ description }), OneOf(['true', 'false'], description));

/** Object that refuses unknown members, so that a misspelled member is an error. */
export function Strict<T extends TProperties>(
  members: T,
  options: { title?: string; description?: string } = {},
) {
  return Type.Object(members, { ...options, additionalProperties: false });
}

export const StrictTitled = <T extends TProperties>(title: string, members: T) =>
  Strict(members, { title });

/** Object that accepts unknown members. `title` is the schema's name in OpenAPI documents. */
export const Titled = <T extends TProperties>(title: string, members: T) =>
  Type.Object(members, { title });

/** Object with any keys. `Type.Record` would accept any value for a key with a line break. */
export function StringMap<T extends TSchema>(values: T, description: string, more: object = {}) {
  const type = { type: 'object', additionalProperties: values, description, ...more };
  return Type.Unsafe<Record<string, Static<T>>>(type);
}

/** Object whose keys match `pattern`. `unknown` is the error message if a key does not match. */
export function PatternMap<T extends TSchema>(
  pattern: string,
  unknown: string,
  values: T,
  description: string,
) {
  return Type.Unsafe<Record<string, Static<T>>>({
    type: 'object',
    patternProperties: { [pattern]: values },
    additionalProperties: false,
    'x-unknown-member': unknown,
    description,
  });
}

export const NAME = '^[A-Za-z0-9._-]{1,64}$';
export const NAME_CHARS = '1 to 64 letters, digits, `.`, `_` or `-`';

/** Name of a profile, a credential or a token. */
export const Name = (description: string) =>
  Type.String({ pattern: NAME, 'x-violation': `must be a string of ${NAME_CHARS}`, description });

/** Object keyed by the names of profiles, credentials or tokens. */
export function NameMap<T extends TSchema>(values: T, description: string) {
  return PatternMap(NAME, `is not a valid name; use ${NAME_CHARS}`, values, description);
}

/**
 * Converts a schema to plain JSON Schema for models. Leaves out each keyword that starts with `x-`
 * or for which `isOmitted` returns true. Removes the type `null`, because some AI hosts misread
 * lists of types. Models can omit a member instead of setting it to `null`.
 */
export function schemaForModel(
  schema: TSchema,
  isOmitted: (keyword: string, value: unknown) => boolean,
): { type: 'object' } {
  const text = JSON.stringify(schema, (key, value) => {
    if (key.startsWith('x-') || isOmitted(key, value)) return undefined;
    if (key === 'type' && Array.isArray(value)) return value.find((type) => type !== 'null');
    if (key === 'enum' && Array.isArray(value)) return value.filter((word) => word !== null);
    return value?.['x-shown'] ?? value;
  });
  return JSON.parse(text);
}
