import type { Dialect } from './dialects.ts';
import { isSchema, type Node, type Place, roleOf } from './places.ts';

/** Keywords that may refuse null even if `type` and `enum` allow null. */
const MAY_REFUSE_NULL = ['$ref', '$dynamicRef', 'const', 'allOf', 'anyOf', 'oneOf', 'not', 'if'];

const mayRefuseNull = (node: Node) => MAY_REFUSE_NULL.some((name) => Object.hasOwn(node, name));

/** Members that `allowNull` does not move into a branch, because references depend on them. */
const KEPT = new Set(['$id', '$anchor', '$dynamicAnchor', '$defs', 'definitions']);

function isMoved(name: string, value: unknown): boolean {
  const isUnknown = roleOf(name, 'schema') === 'other' && isObject(value);
  return !KEPT.has(name) && !isUnknown;
}

const isObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Makes a schema with `nullable` accept null despite all its other keywords (docs/decisions/0034).
 * If keywords in `MAY_REFUSE_NULL` are present, moves the schema's keywords into an `anyOf` branch
 * beside a branch for null.
 */
export function allowNull(node: Node): Node {
  if (!mayRefuseNull(node)) {
    const { type, enum: values } = node;
    return {
      ...node,
      ...(type === undefined ? {} : { type: [...new Set([type, 'null'].flat())] }),
      ...(Array.isArray(values) ? { enum: [...new Set([...values, null])] } : {}),
    };
  }
  const members = Object.entries(node);
  const moved = members.filter(([name, value]) => isMoved(name, value));
  const kept = members.filter(([name, value]) => !isMoved(name, value));
  return { ...Object.fromEntries(kept), anyOf: [{ type: 'null' }, Object.fromEntries(moved)] };
}

/** True for a place that references can no longer find, because `allowNull` moves it. */
export function isMovedByNull(place: Place | undefined, dialect: Dialect): boolean {
  if (place?.parent === undefined || dialect !== 'openapi') return false;
  const { name, value, parent } = place;
  const around = parent.value as Node;
  const isBranch = isSchema(parent) && around.nullable === true && mayRefuseNull(around);
  return (isBranch && isMoved(name, value)) || isMovedByNull(parent, dialect);
}
