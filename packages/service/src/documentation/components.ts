import { type TSchema, Type } from '@sinclair/typebox';

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** A schema with a title is written once, under that name. */
const nameOf = (node: Json): string | undefined =>
  typeof node.title === 'string' && ('type' in node || 'oneOf' in node) ? node.title : undefined;

/** Titles in these name nothing. */
const DATA = new Set(['example', 'examples']);

/** Known to our validator alone. */
const PRIVATE = new Set(['x-violation']);

/** Moves every schema with a title to `components.schemas` and leaves a reference to it. */
export function shareSchemas<T extends { components?: { schemas?: object } }>(document: T): T {
  const schemas: Json = {};
  const share = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(share);
    if (!isObject(node)) return node;
    const shown = Object.entries(node).filter(([key]) => !PRIVATE.has(key));
    const members = shown.map(([key, value]) => [key, DATA.has(key) ? value : share(value)]);
    const copy = Object.fromEntries(members);
    const name = nameOf(node);
    if (name === undefined) return copy;
    schemas[name] = copy;
    return { $ref: reference(name) };
  };
  const shared = share(document) as T;
  return { ...shared, components: { ...shared.components, schemas } };
}

/** One of several titled schemas, by the value of one member; to document, not to validate. */
export function oneOfBy(member: string, variants: Record<string, TSchema>, title: string): TSchema {
  const references = Object.entries(variants).map(([value, schema]) => [
    value,
    reference(String(schema.title)),
  ]);
  const discriminator = { propertyName: member, mapping: Object.fromEntries(references) };
  return Type.Unsafe({ title, oneOf: Object.values(variants), discriminator });
}

const reference = (name: string): string => `#/components/schemas/${name}`;
