import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox';

export const Text = (description: string) => Type.String({ description });
export const Integer = (description: string) => Type.Integer({ description });
export const Texts = (description: string) => Type.Array(Type.String(), { description });

/**
 * A string from a closed list: `enum`, whose violations are clearer than a union's. OpenAPI
 * shows it under its title, if it has one.
 */
export function OneOf<const T extends readonly string[]>(
  values: T,
  description?: string,
  title?: string,
) {
  const documented = { ...(description && { description }), ...(title && { title }) };
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...documented });
}

/** An optional member; an explicit `null` counts as absent (contract, section 1). */
export function Nullish<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Unsafe<Static<T> | null>(orNull(schema)));
}

function orNull({ enum: values, 'x-shown': shown, ...schema }: TSchema): TSchema {
  return {
    ...schema,
    type: [schema.type, 'null'],
    ...(values && { enum: [...values, null] }),
    ...(shown && { 'x-shown': orNull(shown) }),
  };
}

/** What OpenAPI shows in place of a schema: the spelling to send where others are taken, too. */
export function ShownAs<T extends TSchema>(shown: TSchema, schema: T): T {
  return { ...schema, 'x-shown': shown };
}

/** `true` or `false` in a query; a boolean for readers. */
export function Flag(description: string) {
  return ShownAs(Type.Boolean({ description }), OneOf(['true', 'false'], description));
}

/** An object with the named members and no others, so that a misspelt one is refused. */
export function Strict<T extends TProperties>(
  members: T,
  options: { title?: string; description?: string } = {},
) {
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
export function StringMap<T extends TSchema>(values: T, description: string, more: object = {}) {
  const type = { type: 'object', additionalProperties: values, description, ...more };
  return Type.Unsafe<Record<string, Static<T>>>(type);
}
