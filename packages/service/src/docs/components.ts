import { isDeepStrictEqual } from 'node:util';
import { type TSchema, Type } from '@sinclair/typebox';

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

const nameOf = (node: Json): string | undefined =>
  typeof node.title === 'string' && ('type' in node || 'oneOf' in node) ? node.title : undefined;

/** Keywords whose values are example data. A `title` in example data does not name a schema. */
const DATA = new Set(['example', 'examples']);

/** Keywords that only our validator understands and that the OpenAPI document omits. */
const PRIVATE = new Set(['x-violation', 'x-unknown-member']);

/** Maps each custom `format` to the keywords that `shareSchemas` adds to schemas of that format. */
export type Formats = Readonly<Record<string, object>>;

/**
 * Moves every schema with a `title` to `components.schemas`, and leaves a reference in its place.
 * If a schema has the keyword `x-shown`, the document shows the value of `x-shown` instead.
 */
export function shareSchemas<T extends { components?: { schemas?: object } }>(
  document: T,
  formats: Formats = {},
): T {
  const schemas: Json = {};
  const share = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(share);

    if (!isObject(node)) return node;

    if (isObject(node['x-shown'])) return share(node['x-shown']);

    const shown = Object.entries(node).filter(([key]) => !PRIVATE.has(key));
    const members = shown.map(([key, value]) => [key, DATA.has(key) ? value : share(value)]);
    const copy: Json = { ...Object.fromEntries(members), ...formats[String(node.format)] };
    const name = nameOf(node);
    if (name === undefined) return copy;

    const { description, title: _, ...schema } = copy;
    const named = withoutNull(schema);
    if (!isDeepStrictEqual(schemas[name] ?? named, named))
      throw new Error(`Two different schemas in the OpenAPI document have the title ${name}.`);

    schemas[name] = named;
    const reference = { $ref: pointerTo(name) };
    const use = isNullable(schema) ? { anyOf: [reference, { type: 'null' }] } : reference;
    return { ...use, ...(description !== undefined && { description }) };
  };
  const shared = share(document) as T;
  return { ...shared, components: { ...shared.components, schemas } };
}

/**
 * Returns a schema for values that match one of `variants`, which must all have titles. The value
 * of `member` determines which variant applies. Use the returned schema only for documentation.
 */
export function oneOfBy(member: string, variants: Record<string, TSchema>, title: string): TSchema {
  const references = Object.entries(variants).map(([value, schema]) => [
    value,
    pointerTo(String(schema.title)),
  ]);
  const discriminator = { propertyName: member, mapping: Object.fromEntries(references) };
  return Type.Unsafe({ title, oneOf: Object.values(variants), discriminator });
}

const isNullable = ({ type }: Json): boolean => Array.isArray(type) && type.includes('null');

/** Removes `null` from a shared schema, so that each reference can allow or forbid `null`. */
function withoutNull(schema: Json): Json {
  if (!isNullable(schema)) return schema;
  const { type, enum: values } = schema;
  const [own] = (type as string[]).filter((each) => each !== 'null');
  const named = Array.isArray(values) && { enum: values.filter((value) => value !== null) };
  return { ...schema, type: own, ...named };
}

const pointerTo = (name: string): string => `#/components/schemas/${name}`;
