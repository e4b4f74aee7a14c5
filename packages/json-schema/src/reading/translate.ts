import type { TranslatedSchema } from '../ajv.ts';
import { type Dialect, isSince } from './dialects.ts';
import { allowNull } from './nullable.ts';
import { isSchema, type Node, type Place, resourceOf } from './places.ts';
import type { SchemaDocument } from './read.ts';

/** Rewrites a schema so that Ajv applies the rules of the schema's own draft. */
export function translate({ dialect, schema, places }: SchemaDocument): TranslatedSchema {
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

function translateSchema(node: Node, place: Place, dialect: Dialect): Node {
  const { nullable, ...known } = without(node, ...IGNORED, dialect === 'draft-04' ? '$id' : 'id');
  if (!isSince(dialect, '2019-09')) return '$ref' in known ? withoutSiblings(known, place) : known;
  const standard = replaceReferences(known, dialect, resourceOf(place).value as Node);
  if (dialect !== 'openapi') return standard;
  const numeric = useNumericBounds(standard);
  return nullable === true ? allowNull(numeric) : numeric;
}

/** Removes members beside a `$ref` that drafts before 2019-09 ignore, but that Ajv evaluates. */
const withoutSiblings = (node: Node, { parent }: Place): Node =>
  without(node, 'type', ...(parent === undefined ? [] : ['id', '$id']));

/** Keywords to remove: annotations, and keywords such as `$async` that turn on Ajv extensions. */
const IGNORED =
  '$schema $async $data default discriminator example examples externalDocs xml'.split(' ');

function without(node: Node, ...names: readonly string[]): Node {
  return Object.fromEntries(Object.entries(node).filter(([name]) => !names.includes(name)));
}

/** Removes `$id` and anchors from a value that Ajv would otherwise mistake for a schema. */
function withoutIdentifiers(node: Node): Node {
  const identifiers = ['id', '$id', '$anchor', '$dynamicAnchor'];
  return without(node, ...identifiers.filter((name) => typeof node[name] === 'string'));
}

/**
 * Replaces dynamic references with `$ref`. Assumes that `refuseUnsupported` has already refused
 * ambiguous references. A reference to an anchor at the schema's root becomes `#`, because Ajv
 * cannot resolve the anchor.
 */
function replaceReferences(node: Node, dialect: Dialect, resource: Node): Node {
  const { $ref, $dynamicRef, $recursiveRef, $recursiveAnchor, ...others } = node;
  const dynamic = dialect === '2019-09' ? $recursiveRef : $dynamicRef;
  const anchors = [resource.$anchor, resource.$dynamicAnchor];
  const isOwn = (reference: unknown) => anchors.some((name) => reference === `#${name ?? ''}`);
  const references = [$ref, dynamic]
    .filter((reference) => reference !== undefined)
    .map((reference) => ({ $ref: isOwn(reference) ? '#' : reference }));
  // If a schema has an `$id`, move its `$ref` into `allOf`, so that Ajv uses the right base URI.
  if (references.length < 2 && others.$id === undefined) return { ...references[0], ...others };
  const { allOf = [] } = others;
  return { ...others, allOf: [...(allOf as unknown[]), ...references] };
}

const BOUNDS = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
] as const;

/** Turns a draft-04 `minimum` with `exclusiveMinimum: true` into a numeric `exclusiveMinimum`. */
function useNumericBounds(node: Node): Node {
  return BOUNDS.reduce((others, [bound, exclusive]) => {
    const { [bound]: limit, [exclusive]: isExclusive, ...rest } = others;
    if (typeof isExclusive !== 'boolean') return others;
    if (limit === undefined) return rest;
    return { ...rest, [isExclusive ? exclusive : bound]: limit };
  }, node);
}
