import { DEFAULT_DIALECT, type Dialect, dialectOf, idKeywordOf, KNOWN_URIS } from './dialects.ts';
import { InvalidSchema, quoteValue } from './invalid-schema.ts';
import { type Node, type Places, placesIn } from './places.ts';

/** Limits on a caller's schema. The calling code must also limit the size of the schema text. */
export const SCHEMA_LIMITS = { maxDepth: 64, maxNodes: 30_000 } as const;

/** Schema as the caller wrote it, before `translate` changes it for Ajv. */
export interface SchemaDocument {
  readonly dialect: Dialect;
  readonly schema: Node;
  readonly places: Places;
}

/** Parses a schema. @throws {InvalidSchema} if it is too large, too deep or of an unknown draft */
export function readSchema(json: string): SchemaDocument {
  const schema: Node = JSON.parse(json);
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    throw new InvalidSchema('', `the schema must be an object, but is ${quoteValue(schema)}`);
  const dialect = dialectFor(schema);
  const places = placesIn(schema, idKeywordOf(dialect));
  const { maxDepth, maxNodes } = SCHEMA_LIMITS;
  if (places.size > maxNodes || [...places.values()].some(({ depth }) => depth > maxDepth))
    throw new InvalidSchema(
      '',
      `the schema has over ${maxNodes} objects and arrays, or over ${maxDepth} nesting levels`,
    );
  return { dialect, schema, places };
}

function dialectFor({ $schema }: Node): Dialect {
  if ($schema === undefined || $schema === null) return DEFAULT_DIALECT;
  const dialect = typeof $schema === 'string' ? dialectOf($schema) : undefined;
  if (dialect !== undefined) return dialect;
  const message = `must be omitted or be one of ${KNOWN_URIS}`;
  throw new InvalidSchema('/$schema', `${message}; it is ${quoteValue($schema)}`);
}
