import type { Dialect } from './dialects.ts';
import { isSchema, type Node, type Place } from './places.ts';

/** Keywords that can reject null even if `type` and `enum` allow null. */
const MAY_REFUSE_NULL: ReadonlySet<string> = new Set(
  '$ref $dynamicRef const allOf anyOf oneOf not if then else'.split(' '),
);

/**
 * Makes a nullable schema accept null, whatever its other keywords require (docs/decisions/0034).
 * Moves keywords such as `$ref` into one branch of an `anyOf`; the other branch accepts null.
 */
export function allowNull(node: Node): Node {
  const { type, enum: values } = node;
  const widened = Object.entries({
    ...node,
    ...(type === undefined ? {} : { type: [...new Set([type, 'null'].flat())] }),
    ...(Array.isArray(values) ? { enum: [...new Set([...values, null])] } : {}),
  });
  const moved = widened.filter(([name]) => MAY_REFUSE_NULL.has(name));
  const kept = Object.fromEntries(widened.filter(([name]) => !MAY_REFUSE_NULL.has(name)));
  if (moved.length === 0) return kept;
  return { ...kept, anyOf: [{ type: 'null' }, Object.fromEntries(moved)] };
}

/** True if `allowNull` moves this part of a schema into an `anyOf`, so `$ref`s to it break. */
export function isMovedByNull(place: Place | undefined, dialect: Dialect): boolean {
  if (place?.parent === undefined || dialect !== 'openapi') return false;
  const { name, parent } = place;
  const isNullable = isSchema(parent) && (parent.value as Node).nullable === true;
  return (isNullable && MAY_REFUSE_NULL.has(name)) || isMovedByNull(parent, dialect);
}
