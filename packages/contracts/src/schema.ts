import { type Static, type TSchema, Type } from '@sinclair/typebox';

/** A string from a closed list: `enum`, whose violations are clearer than a union's. */
export function OneOf<const T extends readonly string[]>(
  values: T,
  options: { description?: string } = {},
) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options });
}

/** An optional member; an explicit `null` counts as absent (contract, section 1). */
export function Nullish<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, 'null'] }));
}

/** An object with the named members and no others, so that a misspelt one is refused. */
export function Strict<T extends Parameters<typeof Type.Object>[0]>(
  members: T,
  options: { description?: string; title?: string } = {},
) {
  return Type.Object(members, { ...options, additionalProperties: false });
}

/** An object with any keys. `Type.Record` would not check keys with a line break. */
export function StringMap<T extends TSchema>(values: T, options: { description?: string } = {}) {
  return Type.Unsafe<Record<string, Static<T>>>({
    type: 'object',
    additionalProperties: values,
    ...options,
  });
}
