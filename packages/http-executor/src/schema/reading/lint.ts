import { nativePattern } from '../pattern.ts';
import { DEFAULT_DIALECT, type Dialect, dialectOf, isSince, KNOWN_URIS } from './dialects.ts';
import { inexactConstant } from './inexact.ts';
import { InvalidSchema, quoteValue } from './invalid-schema.ts';
import { meantKeyword } from './misspelt.ts';
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
 * The dialect of a schema, given as text and as its value.
 * @throws {InvalidSchema} when it is too large or deep, of another dialect, has a number that
 * no double holds in `const` or `enum`, or says what was hardly meant.
 */
export function lintSchema(text: string, schema: Node): Dialect {
  const dialect = dialectFor(schema);
  const { maxDepth, maxNodes } = SCHEMA_LIMITS;
  let nodes = 0;
  for (const { depth } of walkSchema(schema)) {
    nodes += 1;
    if (nodes > maxNodes || depth > maxDepth)
      throw new InvalidSchema(
        '',
        `it has more than ${maxNodes} objects and arrays, or more than ${maxDepth} levels`,
      );
  }
  for (const place of walkSchema(schema, referredSchemas(schema))) {
    if (isSchema(place)) lintPlace(place, place.value as Node, dialect);
    else if (place.name === 'patternProperties' && place.role === 'names') lintPatterns(place);
  }
  const inexact = inexactConstant(text, schema);
  if (inexact !== undefined)
    throw new InvalidSchema(inexact, 'must be a number that a double holds with all its digits');
  return dialect;
}

function dialectFor({ $schema }: Node): Dialect {
  if ($schema === undefined || $schema === null) return DEFAULT_DIALECT;
  const dialect = typeof $schema === 'string' ? dialectOf($schema) : undefined;
  if (dialect !== undefined) return dialect;
  const message = `must be left out or name a draft, not a dialect of one's own: ${KNOWN_URIS}`;
  throw new InvalidSchema('/$schema', `${message}; it is ${quoteValue($schema)}`);
}

function lintPlace(place: Place, node: Node, dialect: Dialect): void {
  for (const name of Object.keys(node)) {
    const meant = meantKeyword(name, node);
    if (meant !== undefined)
      throw new InvalidSchema(
        pointerToPlace(place, name),
        `is not a keyword; \`${meant}\` was probably meant`,
      );
  }
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
