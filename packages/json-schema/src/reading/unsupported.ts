import { nativePattern } from '../pattern.ts';
import { type Dialect, dialectOf, isSince } from './dialects.ts';
import { quoteValue } from './invalid-schema.ts';
import { isEmbedded, isSchema, type Node, type Place, refuseMember } from './places.ts';
import type { SchemaDocument } from './read.ts';
import { refuseUnevaluated } from './unevaluated.ts';

/**
 * Refuses invalid patterns, and uses of keywords that Ajv evaluates wrongly according to the JSON
 * Schema Test Suite.
 * @throws {InvalidSchema}
 */
export function refuseUnsupported(document: SchemaDocument): void {
  const isCompound = document.places.some(isEmbedded);
  for (const place of document.places) {
    if (Object.hasOwn(place.value, '__proto__'))
      refuseMember(
        place,
        '__proto__',
        'is a name that cannot be checked here; use `patternProperties`',
      );
    if (place.role === 'names' && place.name === 'patternProperties')
      for (const pattern of Object.keys(place.value)) refusePattern(place, pattern, pattern);
    if (!isSchema(place)) continue;
    refuseKeywords(place, document.dialect);
    if (isSince(document.dialect, '2019-09')) refuseDynamic(place, isCompound);
  }
  refuseUnevaluated(document);
}

function refuseKeywords(place: Place, dialect: Dialect): void {
  const { items, pattern, $schema } = place.value as Node;
  if (typeof pattern === 'string') refusePattern(place, 'pattern', pattern);
  if (Array.isArray(items) && isSince(dialect, '2020-12'))
    refuseMember(
      place,
      'items',
      'must be one schema, not an array; use `prefixItems`, or name an older draft in `$schema`',
    );
  if (isEmbedded(place) && typeof $schema === 'string' && dialectOf($schema) !== dialect)
    refuseMember(place, '$schema', 'must be left out or name the dialect of the whole schema');
}

function refusePattern(place: Place, name: string, pattern: string): void {
  try {
    nativePattern(pattern);
  } catch {
    const message = 'which is not an ECMAScript regular expression';
    refuseMember(place, name, `is ${quoteValue(pattern)}, ${message}`);
  }
}

/** Refuses dynamic references, unless the document has only one dynamic scope. */
function refuseDynamic(place: Place, isCompound: boolean): void {
  const isRefused = isCompound || Object.hasOwn(place.value, '$ref');
  for (const keyword of ['$dynamicRef', '$recursiveRef'])
    if (isRefused && Object.hasOwn(place.value, keyword))
      refuseMember(
        place,
        keyword,
        'is not supported beside `$ref` or in a schema that embeds others by `$id`; use `$ref` instead',
      );
}
