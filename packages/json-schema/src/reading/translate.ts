import type { ReadSchema } from '../ajv.ts';
import { type Dialect, isSince } from './dialects.ts';
import { allowNull } from './nullable.ts';
import { isSchema, type Node, type Place, resourceOf } from './places.ts';
import type { SchemaDocument } from './read.ts';

/**
 * Rewrites a schema, starting with its inner schemas, so that Ajv evaluates it as its dialect
 * requires.
 */
export function translate({ dialect, schema, places }: SchemaDocument): ReadSchema {
  const translated = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(translated);
    const members = Object.entries(value).map(([name, each]) => [name, translated(each)]);
    const node = Object.fromEntries(members);
    const place = places.get(value);
    if (place === undefined || place.role === 'other') return withoutIdentifiers(node);
    return isSchema(place) ? translateSchema(node, place, dialect) : node;
  };
  return { dialect, text: JSON.stringify(translated(schema)) };
}

/** Translates the keywords of a schema whose inner schemas are already translated. */
function translateSchema(node: Node, place: Place, dialect: Dialect): Node {
  const { nullable, ...known } = without(node, ...IGNORED, dialect === 'draft-04' ? '$id' : 'id');
  // Drafts before 2019-09 ignore members beside a `$ref`, but Ajv would still register identifiers
  // there.
  if (!isSince(dialect, '2019-09'))
    return '$ref' in known && place.parent !== undefined ? without(known, 'id', '$id') : known;
  const standard = replaceReferences(known, dialect, resourceOf(place).value as Node);
  if (dialect !== 'openapi') return standard;
  const numeric = useNumericBounds(standard);
  return nullable === true ? allowNull(numeric) : numeric;
}

/** Keywords to remove, because Ajv would obey them or because they only contain examples. */
const IGNORED = [
  ...['$schema', '$async', '$data', 'default', 'discriminator', 'example', 'examples'],
  ...['externalDocs', 'xml'],
];

function without(node: Node, ...names: readonly string[]): Node {
  return Object.fromEntries(Object.entries(node).filter(([name]) => !names.includes(name)));
}

/**
 * Removes identifiers from objects that are not schemas, because Ajv would register these
 * identifiers.
 */
function withoutIdentifiers(node: Node): Node {
  const identifiers = ['id', '$id', '$anchor', '$dynamicAnchor'];
  return without(node, ...identifiers.filter((name) => typeof node[name] === 'string'));
}

/**
 * Turns dynamic references into plain `$ref`s. This is safe, because `refuseUnsupported` rejects
 * any schema in which a dynamic reference could have several targets. Ajv cannot resolve a
 * reference to the anchor of the schema that contains it, so `#` replaces such a reference.
 */
function replaceReferences(node: Node, dialect: Dialect, resource: Node): Node {
  const { $ref, $dynamicRef, $recursiveRef, $recursiveAnchor, ...others } = node;
  const dynamic = dialect === '2019-09' ? $recursiveRef : $dynamicRef;
  const own = [resource.$anchor, resource.$dynamicAnchor].map((name) => `#${name}`);
  const references = [$ref, dynamic]
    .filter((reference) => reference !== undefined)
    .map((reference) => ({ $ref: own.includes(String(reference)) ? '#' : reference }));
  // Ajv would resolve a `$ref` beside an `$id` against the wrong base URI.
  if (references.length < 2 && others.$id === undefined) return { ...references[0], ...others };
  const { allOf = [] } = others;
  return { ...others, allOf: [...(allOf as unknown[]), ...references] };
}

const BOUNDS = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
] as const;

/** Replaces draft-04 bounds, where `exclusiveMinimum` is a boolean beside `minimum`. */
function useNumericBounds(node: Node): Node {
  return BOUNDS.reduce((others, [bound, exclusive]) => {
    const { [bound]: limit, [exclusive]: isExclusive, ...rest } = others;
    if (typeof isExclusive !== 'boolean') return others;
    if (limit === undefined) return rest;
    return { ...rest, [isExclusive ? exclusive : bound]: limit };
  }, node);
}
