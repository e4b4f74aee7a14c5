import { isSince } from './dialects.ts';
import type { ReadSchema } from './read.ts';
import {
  isSchema,
  type Node,
  type Place,
  referredSchemas,
  refuse,
  walkSchema,
} from './schema-tree.ts';
import { type Document, refuseUnevaluated } from './unevaluated.ts';

/**
 * Refuses the uses of keywords that Ajv is known to evaluate wrongly; most of them are in the
 * JSON Schema Test Suite.
 * @throws {InvalidSchema}
 */
export function refuseUnsupported({ dialect, text }: ReadSchema): void {
  const schema: Node = JSON.parse(text);
  const all = [...walkSchema(schema, referredSchemas(schema))];
  const places = all.filter(isSchema);
  const roots = places.filter((place) => place.parent === undefined || isEmbedded(place));
  const document: Document = { places, roots, hasContains: isSince(dialect, '2020-12') };
  for (const place of all) refuseProto(place);
  for (const place of places) {
    refuseReferences(place, roots.length > 1);
    refuseUnevaluated(place, document);
  }
}

/** Whether a schema within another has a base of its own. */
function isEmbedded({ parent, value }: Place): boolean {
  const { $id = (value as Node).id } = value as Node;
  return parent !== undefined && typeof $id === 'string' && !$id.startsWith('#');
}

function refuseProto(place: Place): void {
  const isNames = place.role === 'names' || place.name === 'dependentRequired';
  if (isNames && Object.hasOwn(place.value, '__proto__'))
    refuse(place, '__proto__', 'is a name that cannot be checked here; use `patternProperties`');
}

function refuseReferences(place: Place, isCompound: boolean): void {
  const hasRef = Object.hasOwn(place.value, '$ref');
  for (const keyword of ['$dynamicRef', '$recursiveRef'])
    if (Object.hasOwn(place.value, keyword) && (isCompound || hasRef))
      refuse(
        place,
        keyword,
        'is not supported beside `$ref`, nor where schemas are embedded by `$id`; use `$ref`',
      );
  if (isEmbedded(place) && hasRef)
    refuse(place, '$ref', 'is not supported beside `$id`; write `"allOf": [{ "$ref": … }]`');
}
