import { DEFAULT_DIALECT, type Dialect, dialectOf, KNOWN_URIS } from './dialects.ts';
import { InvalidSchema, quoteValue } from './invalid-schema.ts';
import { type Node, type Place, placesIn, refuseMember } from './places.ts';

/** Limits of a caller's schema; its size in bytes is limited by a setting. */
export const SCHEMA_LIMITS = { maxDepth: 64, maxNodes: 30_000 } as const;

/** Caller's schema with all its objects and arrays; the first place is the schema itself. */
export interface SchemaDocument {
  readonly dialect: Dialect;
  readonly schema: Node;
  readonly places: readonly Place[];
}

/**
 * @throws {InvalidSchema} if the schema is too large or too deep, of an unknown dialect, or has a
 * number beyond the range of doubles
 */
export function readSchema(json: string): SchemaDocument {
  const schema: Node = JSON.parse(json);
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    throw new InvalidSchema('', `must be an object; it is ${quoteValue(schema)}`);
  const dialect = dialectFor(schema);
  const places = placesIn(schema);
  const { maxDepth, maxNodes } = SCHEMA_LIMITS;
  if (places.length > maxNodes || places.some(({ depth }) => depth > maxDepth))
    throw new InvalidSchema(
      '',
      `it has more than ${maxNodes} objects and arrays, or more than ${maxDepth} levels`,
    );
  for (const place of places) refuseInfinity(place);
  return { dialect, schema, places };
}

function dialectFor({ $schema }: Node): Dialect {
  if ($schema === undefined || $schema === null) return DEFAULT_DIALECT;
  const dialect = typeof $schema === 'string' ? dialectOf($schema) : undefined;
  if (dialect !== undefined) return dialect;
  const message = `must be left out or be one of ${KNOWN_URIS}`;
  throw new InvalidSchema('/$schema', `${message}; it is ${quoteValue($schema)}`);
}

/** Refuses numbers such as `1e400`, which JSON parsing turns into infinity. */
function refuseInfinity(place: Place): void {
  for (const [name, value] of Object.entries(place.value))
    if (typeof value === 'number' && !Number.isFinite(value))
      refuseMember(place, name, 'is a number beyond the range of doubles');
}
