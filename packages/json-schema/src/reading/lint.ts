import { nativePattern } from '../pattern.ts';
import { DEFAULT_DIALECT, type Dialect, dialectOf, isSince, KNOWN_URIS } from './dialects.ts';
import { InvalidSchema, quoteValue } from './invalid-schema.ts';
import {
  isSchema,
  type Node,
  type Place,
  pointerToPlace,
  referredSchemas,
  walkSchema,
} from './schema-tree.ts';

/** Shapes of a caller's schema; how many bytes it may have is a setting. */
export const SCHEMA_LIMITS = { maxDepth: 64, maxNodes: 30_000 } as const;

/**
 * Finds the dialect of a schema.
 * @throws {InvalidSchema} when the schema is too large or deep, of another dialect, or has a
 * number or pattern that cannot be used.
 */
export function lintSchema(schema: Node): Dialect {
  const dialect = dialectFor(schema);
  const { maxDepth, maxNodes } = SCHEMA_LIMITS;
  let nodes = 0;
  for (const place of walkSchema(schema)) {
    nodes += 1;
    const { depth } = place;
    if (nodes > maxNodes || depth > maxDepth)
      throw new InvalidSchema(
        '',
        `it has more than ${maxNodes} objects and arrays, or more than ${maxDepth} levels`,
      );
    refuseInfinity(place);
  }
  for (const place of walkSchema(schema, referredSchemas(schema))) {
    if (isSchema(place)) lintPlace(place, place.value as Node, dialect);
    else if (place.name === 'patternProperties' && place.role === 'names') lintPatterns(place);
  }
  return dialect;
}

/** JSON parsing reads `1e400` as infinity, which JSON cannot write. */
function refuseInfinity(place: Place): void {
  for (const [name, value] of Object.entries(place.value))
    if (typeof value === 'number' && !Number.isFinite(value))
      throw new InvalidSchema(pointerToPlace(place, name), 'is a number larger than any double');
}

function dialectFor({ $schema }: Node): Dialect {
  if ($schema === undefined || $schema === null) return DEFAULT_DIALECT;
  const dialect = typeof $schema === 'string' ? dialectOf($schema) : undefined;
  if (dialect !== undefined) return dialect;
  const message = `must be left out or name a draft, not a dialect of one's own: ${KNOWN_URIS}`;
  throw new InvalidSchema('/$schema', `${message}; it is ${quoteValue($schema)}`);
}

function lintPlace(place: Place, node: Node, dialect: Dialect): void {
  const { items, pattern } = node;
  if (Array.isArray(items) && isSince(dialect, '2020-12'))
    throw new InvalidSchema(
      pointerToPlace(place, 'items'),
      'must be one schema, not an array; use `prefixItems`, or name an older draft in `$schema`',
    );
  if (typeof pattern === 'string') lintPattern(pattern, pointerToPlace(place, 'pattern'));
}

function lintPatterns(place: Place): void {
  for (const pattern of Object.keys(place.value))
    lintPattern(pattern, pointerToPlace(place, pattern));
}

function lintPattern(pattern: string, pointer: string): void {
  try {
    nativePattern(pattern);
  } catch {
    throw new InvalidSchema(
      pointer,
      `is ${quoteValue(pattern)}, which is not a regular expression of ECMAScript`,
    );
  }
}
