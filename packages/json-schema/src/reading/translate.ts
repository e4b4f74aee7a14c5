import { type Dialect, isSince } from './dialects.ts';
import { quoteValue } from './invalid-schema.ts';
import { isSchema, memberOf, type Node, type Place, refuse, targetOf } from './places.ts';
import type { SchemaDocument } from './read.ts';

/**
 * Rewrites a schema in place, so that Ajv reads it as its dialect means it. Every place stays
 * where it is; `addNullBranches` moves some later.
 */
export function translate({ dialect, schema, places }: SchemaDocument): void {
  const ownAnchors = [schema.$anchor, schema.$dynamicAnchor].map((name) => `#${name}`);
  for (const place of places) {
    const node = place.value as Node;
    if (place.role === 'other') removeNames(node);
    if (!isSchema(place)) continue;
    for (const name of IGNORED) delete node[name];
    delete node[dialect === 'draft-04' ? '$id' : 'id'];
    if (dialect === 'openapi') {
      allowNull(node);
      useNumericBounds(node);
    } else delete node.nullable;
    if (isSince(dialect, '2019-09')) {
      replaceReferences(node, dialect, ownAnchors);
    } else if (place.parent !== undefined && typeof node.$ref === 'string') {
      // Members beside a `$ref` mean nothing in older drafts; Ajv ignores all others itself.
      delete node.id;
      delete node.$id;
    }
  }
}

/** Words that Ajv would obey, and annotations that hold data. */
const IGNORED = [
  ...['$schema', '$async', '$data', 'default', 'discriminator', 'example', 'examples'],
  ...['externalDocs', 'xml'],
];

/** Ajv knows schemas by these names even where no keyword leads to them. */
function removeNames(node: Node): void {
  for (const name of ['id', '$id', '$anchor', '$dynamicAnchor'])
    if (typeof node[name] === 'string') delete node[name];
}

/**
 * Makes a dynamic reference a plain one, because a document without embedded schemas has only one
 * dynamic scope, and writes other references as Ajv resolves them.
 */
function replaceReferences(node: Node, dialect: Dialect, ownAnchors: readonly string[]): void {
  const dynamicRef = dialect === '2019-09' ? '$recursiveRef' : '$dynamicRef';
  const { [dynamicRef]: dynamic, $ref = dynamic } = node;
  for (const name of ['$recursiveRef', '$dynamicRef', '$recursiveAnchor']) delete node[name];
  if ($ref === undefined) return;
  node.$ref = ownAnchors.includes(String($ref)) ? '#' : $ref;
  // Beside `$id`, Ajv would resolve it by the base around this schema; beside branches, it would
  // forget what it evaluates.
  if (['$id', 'anyOf', 'oneOf'].some((name) => Object.hasOwn(node, name))) {
    node.allOf = [{ $ref: node.$ref }, ...(Array.isArray(node.allOf) ? node.allOf : [])];
    delete node.$ref;
  }
}

const BOUNDS = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
] as const;

/** Where an exclusive bound is a boolean, it says how the other one is meant. */
function useNumericBounds(node: Node): void {
  for (const [bound, exclusive] of BOUNDS) {
    const { [bound]: limit, [exclusive]: isExclusive } = node;
    if (typeof isExclusive !== 'boolean') continue;
    delete node[exclusive];
    if (!isExclusive || typeof limit !== 'number') continue;
    delete node[bound];
    node[exclusive] = limit;
  }
}

/** Keywords that may refuse null whatever `type` and `enum` say. */
const OTHERS = ['$ref', '$dynamicRef', 'const', 'allOf', 'anyOf', 'oneOf', 'not', 'if'];

/** Decision 0033: `nullable` allows null, whatever stands beside it. */
function allowNull(node: Node): void {
  const { nullable, type } = node;
  delete node.nullable;
  if (nullable !== true) return;
  if (type !== undefined) node.type = [...new Set([type, 'null'].flat())];
  if (Array.isArray(node.enum)) node.enum = [...new Set([...node.enum, null])];
  if (OTHERS.some((name) => Object.hasOwn(node, name))) node.nullable = true;
}

/** Keywords that do not depend on the value, and that what refers to the schema depends on. */
const KEPT = new Set(['$id', '$anchor', '$dynamicAnchor', '$defs', 'definitions']);

/**
 * Moves what is beside a `nullable` that is left into a branch of an `anyOf` with null.
 * @throws {InvalidSchema} when a `$ref` leads into such a schema, because it would lead elsewhere.
 */
export function addNullBranches({ places }: SchemaDocument): void {
  const nullable = places.filter((place) => isSchema(place) && (place.value as Node).nullable);
  if (nullable.length === 0) return;
  const moved = new Set(nullable.flatMap((place) => movedMembers(place).map(([, value]) => value)));
  for (const place of places) refuseMovedTarget(place, moved);
  for (const place of nullable) {
    const node = place.value as Node;
    const branch = Object.fromEntries(movedMembers(place));
    for (const name of ['nullable', ...Object.keys(branch)]) delete node[name];
    node.anyOf = [{ type: 'null' }, branch];
  }
}

/** All but places that only a `$ref` leads to. */
function movedMembers(place: Place): [name: string, value: unknown][] {
  return Object.entries(place.value).filter(([name, value]) => {
    if (KEPT.has(name) || name === 'nullable') return false;
    return Array.isArray(value) || memberOf(place, name)?.role !== 'other';
  });
}

function refuseMovedTarget(place: Place, moved: ReadonlySet<unknown>): void {
  const target = targetOf(place);
  for (let way = target; way !== undefined; way = way.parent)
    if (moved.has(way.value))
      refuse(
        place,
        '$ref',
        `refers to ${quoteValue((place.value as Node).$ref)}, which is within a schema with \`nullable\`; put that part under \`$defs\` and refer to it there`,
      );
}
