import { pointerToken } from '@gatehouse/contracts';
import { DATA, DEFINITIONS, isKnown, LOOPS, NAMED_SCHEMAS } from './keywords.ts';

/** JSON object in a caller's schema. */
export type Node = Readonly<Record<string, unknown>>;

/** A schema at any depth of the caller's schema. */
export interface Place {
  readonly schema: Node;
  /** JSON Pointer, which is empty at the root. */
  readonly pointer: string;
  /** True if Ajv checks several members or items against this schema in one loop. */
  readonly isLooped: boolean;
  /** True for the value of an unknown keyword, such as `components`. */
  readonly isUnknown: boolean;
}

export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null;

/** Lists a schema and all schemas inside it. */
export function placesIn(schema: Node): Place[] {
  const root = { schema, pointer: '', isLooped: false, isUnknown: false };
  const places: Place[] = [root];
  // The list grows during this loop.
  for (const place of places)
    for (const [keyword, value] of Object.entries(place.schema))
      places.push(...placesAt(place, keyword, value));
  return places;
}

/**
 * Lists the schemas in the value of a keyword. The value of an unknown keyword, such as
 * `components`, counts as a schema, because a `$ref` may lead there.
 */
function placesAt(parent: Place, keyword: string, value: unknown): Place[] {
  if (!isObject(value) || DATA.has(keyword) || keyword.startsWith('x-')) return [];

  const isUnknown = !isKnown(keyword);
  const isList = NAMED_SCHEMAS.has(keyword) || Array.isArray(value);
  if (isList && isUnknown) return [];

  const pointer = `${parent.pointer}/${pointerToken(keyword)}`;
  // Ajv compiles each target of a `$ref` to a function of its own.
  const isTarget = isUnknown || DEFINITIONS.has(keyword);
  const isLooped = !isTarget && (parent.isLooped || LOOPS.has(keyword));
  const place = (schema: unknown, at: string): Place[] =>
    isObject(schema) && !Array.isArray(schema)
      ? [{ schema: schema as Node, pointer: at, isLooped, isUnknown }]
      : [];
  if (!isList) return place(value, pointer);

  return Object.entries(value).flatMap(([name, each]) =>
    place(each, `${pointer}/${pointerToken(name)}`),
  );
}
