import type { Dialect } from './dialects.ts';
import { isSchema, type Node, type Place } from './places.ts';

/** Keywords that may refuse null even if `type` and `enum` allow null. */
const MAY_REFUSE_NULL: ReadonlySet<string> = new Set(
  '$ref $dynamicRef const allOf anyOf oneOf not if then else'.split(' '),
);

/**
 * Makes a schema with `nullable` accept null despite all its other keywords (docs/decisions/0034).
 * Moves the keywords in `MAY_REFUSE_NULL` into an `anyOf` branch beside a branch for null.
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

/** True for a place that a `$ref` can no longer find, because `allowNull` moves the place. */
export function isMovedByNull(place: Place | undefined, dialect: Dialect): boolean {
  if (place?.parent === undefined || dialect !== 'openapi') return false;
  const { name, parent } = place;
  const isNullable = isSchema(parent) && (parent.value as Node).nullable === true;
  return (isNullable && MAY_REFUSE_NULL.has(name)) || isMovedByNull(parent, dialect);
}
