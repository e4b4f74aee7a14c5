import { InvalidSchema, quoteValue } from './invalid-schema.ts';
import { KEYWORDS } from './keywords.ts';
import type { ReadSchema } from './read.ts';
import {
  isSchema,
  type Node,
  type Place,
  placesOnTheWay,
  pointerToPlace,
  referredSchemas,
  rootPlace,
  walkSchema,
} from './schema-tree.ts';

const REWRITTEN = /"(?:\$dynamicRef|\$recursiveRef|\$anchor|nullable)":/;

/**
 * Replaces what Ajv does not know or evaluates wrongly: `nullable` by an `anyOf` with `null`,
 * dynamic references by plain ones, because a document without embedded schemas has only one
 * dynamic scope, and references to an anchor of the whole schema by `#`.
 * @throws {InvalidSchema} when a `$ref` leads to a place that this moves.
 */
export function rewrite({ dialect, text }: ReadSchema): ReadSchema {
  if (!REWRITTEN.test(text)) return { dialect, text };
  const schema: Node = JSON.parse(text);
  const places = [...walkSchema(schema, referredSchemas(schema))].filter(isSchema);
  const own = [schema.$anchor, schema.$dynamicAnchor].map((name) => `#${name}`);
  for (const place of places) refuseMovedTarget(place, schema);
  for (const { value } of places) {
    const node = value as Record<string, unknown>;
    replaceReferences(node, own);
    if (node.nullable === true) addNullBranch(node);
  }
  return { dialect, text: JSON.stringify(schema) };
}

function replaceReferences(node: Record<string, unknown>, own: readonly string[]): void {
  const { $recursiveRef, $dynamicRef = $recursiveRef, $ref = $dynamicRef } = node;
  if ($ref !== undefined) node.$ref = own.includes(String($ref)) ? '#' : $ref;
  delete node.$dynamicRef;
  delete node.$recursiveRef;
}

/** Keywords that what refers to the schema depends on. */
const KEPT: ReadonlySet<string> = new Set([
  '$id',
  '$anchor',
  '$dynamicAnchor',
  '$defs',
  'definitions',
]);

const isMovedMember = (name: string) => KEYWORDS.has(name) && !KEPT.has(name);

function addNullBranch(node: Record<string, unknown>): void {
  const branch: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(node)) {
    if (!isMovedMember(name)) continue;
    branch[name] = member;
    delete node[name];
  }
  delete node.nullable;
  node.anyOf = [{ type: 'null' }, branch];
}

function refuseMovedTarget(place: Place, schema: Node): void {
  const { $ref } = place.value as Node;
  if (typeof $ref !== 'string' || !$ref.startsWith('#/')) return;
  const places = placesOnTheWay($ref.slice(1), rootPlace(schema));
  const isMoved = places.some(
    ({ parent, name }) =>
      isMovedMember(name) && (parent?.value as Node | undefined)?.nullable === true,
  );
  if (!isMoved) return;
  const message = `refers to ${quoteValue($ref)}, which is within a schema with \`nullable\`; put that part under \`$defs\` and refer to it there`;
  throw new InvalidSchema(pointerToPlace(place, '$ref'), message);
}
