import { nativePattern } from '../pattern.ts';
import { type Dialect, dialectOf, idKeywordOf, isSince } from './dialects.ts';
import { InvalidSchema, quoteValue } from './invalid-schema.ts';
import { isMovedByNull } from './nullable.ts';
import {
  isEmbedded,
  isSchema,
  localSteps,
  type Node,
  type Place,
  pointerTo,
  targetOf,
} from './places.ts';
import type { SchemaDocument } from './read.ts';

interface Member {
  readonly place: Place;
  readonly name: string;
  readonly value: unknown;
}

/**
 * Refuses keywords that Ajv evaluates differently than the JSON Schema Test Suite requires.
 * @throws {InvalidSchema} with a pointer to the first unsupported keyword
 */
export function refuseUnsupported(document: SchemaDocument): void {
  const { dialect } = document;
  const repeated = repeatedAnchors(document);
  for (const place of document.places.values())
    for (const [name, value] of Object.entries(place.value)) {
      const member = { place, name, value };
      const reason =
        reasonAnywhere(member) ?? (isSchema(place) && reasonInSchema(member, dialect, repeated));
      if (reason) throw new InvalidSchema(pointerTo(place, name), reason);
    }
}

/** Returns the reason to refuse a member, if any. `__proto__` is refused even inside an `enum`. */
function reasonAnywhere(member: Member): string | undefined {
  const { name, value } = member;
  // Ajv skips a property named `__proto__`, so Ajv would accept any value for that property.
  if (name === '__proto__')
    return 'is not a supported property name; use `patternProperties` instead';
  // Refuse a number such as `1e400`, which `JSON.parse` turns into infinity.
  if (typeof value === 'number' && !Number.isFinite(value)) return 'is too large for a double';
  const pattern = patternOf(member);
  try {
    if (pattern !== undefined) nativePattern(pattern);
    return undefined;
  } catch {
    return `is ${quoteValue(pattern)}, which is not an ECMAScript regular expression`;
  }
}

function reasonInSchema(
  { place, name, value }: Member,
  dialect: Dialect,
  repeated: ReadonlySet<unknown>,
): string | undefined {
  switch (name) {
    case 'items':
      if (!Array.isArray(value) || !isSince(dialect, '2020-12')) return undefined;
      return 'must be one schema, not an array; use `prefixItems`, or name an older draft in `$schema`';
    case '$schema':
      if (typeof value !== 'string' || dialectOf(value) === dialect) return undefined;
      // Ajv would apply the root schema's draft to an embedded schema that declares another draft.
      // To recognize an embedded schema, look for the ID keyword of either draft: `id` or `$id`.
      if (!isEmbedded(place) && !isEmbedded(place, idKeywordOf(dialectOf(value)))) return undefined;
      return 'must be omitted, or name the same dialect as the root schema';
    case '$dynamicRef':
    case '$recursiveRef':
      // If two schemas declare the same anchor, Ajv can resolve a reference to the wrong schema.
      if (!repeated.has(String(value).split('#')[1])) return undefined;
      return 'is not supported if several schemas declare the same anchor; use `$ref` instead';
    case '$ref':
      return reasonForReference(place, value, dialect);
    default:
      return undefined;
  }
}

function reasonForReference(place: Place, $ref: unknown, dialect: Dialect): string | undefined {
  const target = targetOf(place);
  if (isMovedByNull(target, dialect))
    return `refers to ${quoteValue($ref)}, which is inside a schema with \`nullable\`; move that part under \`$defs\` and refer to it there`;
  // Ajv would resolve `#/$defs/constructor` to a member that every JavaScript object inherits.
  const isInherited =
    target === undefined && localSteps($ref).some((step) => step in Object.prototype);
  return isInherited ? `refers to ${quoteValue($ref)}, where there is no schema` : undefined;
}

function patternOf({ place, name, value }: Member): string | undefined {
  if (place.role === 'names') return place.name === 'patternProperties' ? name : undefined;
  return name === 'pattern' && isSchema(place) && typeof value === 'string' ? value : undefined;
}

/** Returns each dynamic anchor that two or more schemas declare. `''` means `$recursiveAnchor`. */
function repeatedAnchors({ dialect, places }: SchemaDocument): ReadonlySet<unknown> {
  const once = new Set<unknown>();
  const repeated = new Set<unknown>();
  for (const { value } of [...places.values()].filter(isSchema)) {
    const { $dynamicAnchor, $recursiveAnchor } = value as Node;
    const recursive = $recursiveAnchor === true ? '' : undefined;
    const anchor = dialect === '2019-09' ? recursive : $dynamicAnchor;
    if (anchor !== undefined) (once.has(anchor) ? repeated : once).add(anchor);
  }
  return repeated;
}
