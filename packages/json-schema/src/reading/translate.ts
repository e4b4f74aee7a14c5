import { type Dialect, isSince } from './dialects.ts';
import { quoteValue } from './invalid-schema.ts';
import { isSchema, memberOf, type Node, type Place, refuseMember, targetOf } from './places.ts';
import type { SchemaDocument } from './read.ts';

/**
 * Rewrites a schema so that Ajv evaluates it as its dialect demands. Pointers stay valid until
 * `addNullBranches`, which moves some schemas.
 */
export function translate({ dialect, schema, places }: SchemaDocument): void {
  const ownAnchors = [schema.$anchor, schema.$dynamicAnchor].map((name) => `#${name}`);
  for (const place of places) {
    const node = place.value as Node;
    if (place.role === 'other') removeIdentifiers(node);
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
      // Older drafts ignore members beside a `$ref`, but Ajv would still register identifiers.
      delete node.id;
      delete node.$id;
    }
  }
}

/** Keywords that Ajv would obey although they are not standard, and annotations with data. */
const IGNORED = [
  ...['$schema', '$async', '$data', 'default', 'discriminator', 'example', 'examples'],
  ...['externalDocs', 'xml'],
];

/** Ajv registers identifiers even in objects that are not schemas. */
function removeIdentifiers(node: Node): void {
  for (const name of ['id', '$id', '$anchor', '$dynamicAnchor'])
    if (typeof node[name] === 'string') delete node[name];
}

/**
 * Replaces a dynamic reference by a plain one, because a document without embedded schemas has only
 * one dynamic scope. Other references are written in a form that Ajv resolves correctly.
 */
function replaceReferences(node: Node, dialect: Dialect, ownAnchors: readonly string[]): void {
  const dynamicRef = dialect === '2019-09' ? '$recursiveRef' : '$dynamicRef';
  const { [dynamicRef]: dynamic, $ref = dynamic } = node;
  for (const name of ['$recursiveRef', '$dynamicRef', '$recursiveAnchor']) delete node[name];
  if ($ref === undefined) return;
  node.$ref = ownAnchors.includes(String($ref)) ? '#' : $ref;
  // Beside `$id`, Ajv would resolve `$ref` against the wrong base. Beside branches, Ajv would forget
  // which properties the `$ref` evaluates.
  if (['$id', 'anyOf', 'oneOf'].some((name) => Object.hasOwn(node, name))) {
    node.allOf = [{ $ref: node.$ref }, ...(Array.isArray(node.allOf) ? node.allOf : [])];
    delete node.$ref;
  }
}

const BOUNDS = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
] as const;

/** Replaces bounds of draft 04, where `exclusiveMinimum` is a boolean beside `minimum`. */
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

/** Keywords that may refuse null even if `type` and `enum` allow it. */
const MAY_REFUSE_NULL = ['$ref', '$dynamicRef', 'const', 'allOf', 'anyOf', 'oneOf', 'not', 'if'];

/** `nullable` allows null despite all other keywords of its schema (docs/decisions/0034). */
function allowNull(node: Node): void {
  const { nullable, type } = node;
  delete node.nullable;
  if (nullable !== true) return;
  if (type !== undefined) node.type = [...new Set([type, 'null'].flat())];
  if (Array.isArray(node.enum)) node.enum = [...new Set([...node.enum, null])];
  if (MAY_REFUSE_NULL.some((name) => Object.hasOwn(node, name))) node.nullable = true;
}

/** Keywords that stay in place, because references to the schema depend on them. */
const KEPT = new Set(['$id', '$anchor', '$dynamicAnchor', '$defs', 'definitions']);

/**
 * Moves the keywords of each schema that is still `nullable` into an `anyOf` beside null.
 * @throws {InvalidSchema} if a `$ref` points into such a schema, because its target would move
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

/** Lists the members to move: all except the kept ones and those that only a `$ref` leads to. */
function movedMembers(place: Place): [name: string, value: unknown][] {
  return Object.entries(place.value).filter(([name, value]) => {
    if (KEPT.has(name) || name === 'nullable') return false;
    return Array.isArray(value) || memberOf(place, name)?.role !== 'other';
  });
}

function refuseMovedTarget(place: Place, moved: ReadonlySet<unknown>): void {
  const target = targetOf(place);
  for (let ancestor = target; ancestor !== undefined; ancestor = ancestor.parent)
    if (moved.has(ancestor.value))
      refuseMember(
        place,
        '$ref',
        `refers to ${quoteValue((place.value as Node).$ref)}, which is within a schema with \`nullable\`; put that part under \`$defs\` and refer to it there`,
      );
}
