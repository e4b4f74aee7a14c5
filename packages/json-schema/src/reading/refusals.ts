import { nativePattern } from '../pattern.ts';
import { dialectOf, isSince } from './dialects.ts';
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
      const inSchema =
        isSchema(place) && Object.hasOwn(KEYWORDS, name) ? KEYWORDS[name] : undefined;
      const reason = reasonAnywhere(member) ?? inSchema?.(member, context);
      if (reason !== undefined) throw new InvalidSchema(pointerTo(place, name), reason);
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

/** Returns reasons to refuse certain keywords of a schema. */
const KEYWORDS: Record<string, (member: Member, context: Context) => string | undefined> = {
  items: ({ value }, { dialect }) =>
    Array.isArray(value) && isSince(dialect, '2020-12')
      ? 'must be one schema, not an array; use `prefixItems`, or name an older draft in `$schema`'
      : undefined,
  // Some schemas embed schemas of other drafts, but Ajv evaluates the whole document as one draft.
  $schema: ({ place, value }, { dialect }) =>
    isEmbedded(place) && typeof value === 'string' && dialectOf(value) !== dialect
      ? 'must be omitted or name the dialect of the whole schema'
      : undefined,
  $dynamicRef: reasonIfAmbiguous,
  $recursiveRef: reasonIfAmbiguous,
  $ref: ({ place, value }, { dialect }) => {
    const target = targetOf(place);
    if (isMovedByNull(target, dialect))
      return `refers to ${quoteValue(value)} inside a schema with \`nullable\`; move that part under \`$defs\` and refer to it there`;
    // Ajv would resolve a reference such as `#/$defs/constructor` to a member that every JavaScript
    // object inherits.
    const isInherited =
      target === undefined && localSteps(value).some((step) => step in Object.prototype);
    return isInherited ? `refers to ${quoteValue(value)}, where there is no schema` : undefined;
  },
};

/** `$dynamicRef` means the outermost anchor in the dynamic scope, but Ajv may choose another. */
function reasonIfAmbiguous({ value }: Member, { repeatedAnchors }: Context): string | undefined {
  return repeatedAnchors.has(String(value).split('#')[1])
    ? 'is not supported if several schemas declare the same anchor; use `$ref` instead'
    : undefined;
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
