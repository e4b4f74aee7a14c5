import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox';

export const Text = (description: string) => Type.String({ description });
export const Integer = (description: string) => Type.Integer({ description });
export const Texts = (description: string) => Type.Array(Type.String(), { description });

/** A string from a closed list: `enum`, whose violations are clearer than a union's. */
export function OneOf<const T extends readonly string[]>(values: T, description?: string) {
  const documented = description === undefined ? {} : { description };
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...documented });
}

/** An optional member; an explicit `null` counts as absent (contract, section 1). */
export function Nullish<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, 'null'] }));
}

/** An object with the named members and no others, so that a misspelt one is refused. */
export function Strict<T extends TProperties>(members: T, options: { title?: string } = {}) {
  return Type.Object(members, { ...options, additionalProperties: false });
}

/** A `Strict` object that OpenAPI shows under its title. */
export function StrictTitled<T extends TProperties>(title: string, members: T) {
  return Strict(members, { title });
}

/** An object that OpenAPI shows under its title; it may have members besides the named ones. */
export function Titled<T extends TProperties>(title: string, members: T) {
  return Type.Object(members, { title });
}

/** An object with any keys. `Type.Record` would not check keys with a line break. */
export function StringMap<T extends TSchema>(values: T, description: string) {
  const type = { type: 'object', additionalProperties: values, description };
  return Type.Unsafe<Record<string, Static<T>>>(type);
}
