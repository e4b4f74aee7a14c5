import { nativePattern } from '../pattern.ts';
import { type Dialect, dialectOf, isSince } from './dialects.ts';
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

/** Member of an object or array in a caller's schema. */
interface Member {
  readonly place: Place;
  readonly name: string;
  readonly value: unknown;
}

interface Context extends SchemaDocument {
  readonly repeatedAnchors: ReadonlySet<unknown>;
}

/**
 * Refuses members that Ajv would evaluate wrongly according to the JSON Schema Test Suite.
 * @throws {InvalidSchema} with the pointer to the first such member
 */
export function refuseUnsupported(document: SchemaDocument): void {
  const context = { ...document, repeatedAnchors: repeatedAnchors(document) };
  for (const place of document.places.values())
    for (const [name, value] of Object.entries(place.value)) {
      const member = { place, name, value };
      const reason = reasonAnywhere(member) ?? (isSchema(place) && reasonInSchema(member, context));
      if (reason) throw new InvalidSchema(pointerTo(place, name), reason);
    }
}

/** Returns the reason to refuse a member of any object or array, after the member's pointer. */
function reasonAnywhere(member: Member): string | undefined {
  const { name, value } = member;
  // Ajv skips a property named `__proto__`, but the JSON Schema Test Suite expects such a property
  // to be checked.
  if (name === '__proto__')
    return 'is a property name that cannot be checked here; use `patternProperties` instead';
  // `JSON.parse` turns `1e400` into infinity.
  if (typeof value === 'number' && !Number.isFinite(value)) return 'is too large for a double';
  const pattern = patternOf(member);
  if (pattern === undefined || isPattern(pattern)) return undefined;
  return `is ${quoteValue(pattern)}, which is not an ECMAScript regular expression`;
}

/** Returns the reason to refuse the keyword of a schema. */
function reasonInSchema(
  { place, name, value }: Member,
  { dialect, repeatedAnchors }: Context,
): string | undefined {
  switch (name) {
    case 'items':
      if (!Array.isArray(value) || !isSince(dialect, '2020-12')) return undefined;
      return 'must be one schema, not an array; use `prefixItems`, or name an older draft in `$schema`';
    case '$schema':
      // Some schemas embed schemas of other drafts, but Ajv evaluates the whole document as one
      // draft.
      if (!isEmbedded(place) || typeof value !== 'string' || dialectOf(value) === dialect)
        return undefined;
      return 'must be omitted or name the dialect of the whole schema';
    case '$dynamicRef':
    case '$recursiveRef':
      // A dynamic reference means the outermost anchor of that name, but Ajv may choose another.
      if (!repeatedAnchors.has(String(value).split('#')[1])) return undefined;
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
    return `refers to ${quoteValue($ref)} inside a schema with \`nullable\`; move that part under \`$defs\` and refer to it there`;
  // Ajv would resolve a reference such as `#/$defs/constructor` to a member that every JavaScript
  // object inherits.
  const isInherited =
    target === undefined && localSteps($ref).some((step) => step in Object.prototype);
  return isInherited ? `refers to ${quoteValue($ref)}, where there is no schema` : undefined;
}

function patternOf({ place, name, value }: Member): string | undefined {
  if (place.role === 'names') return place.name === 'patternProperties' ? name : undefined;
  return name === 'pattern' && isSchema(place) && typeof value === 'string' ? value : undefined;
}

function isPattern(source: string): boolean {
  try {
    nativePattern(source);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the dynamic anchors that several schemas declare. In 2019-09, anchors have no names, so
 * an empty string means any of them.
 */
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
