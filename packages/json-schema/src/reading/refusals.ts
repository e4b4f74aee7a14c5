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

interface UnsupportedUse {
  /** Keyword to check. Default: every member of every object and array. */
  readonly keyword?: string;
  readonly refuses: (member: Member, context: Context) => boolean;
  /** Completes a message that begins with the pointer to the member. */
  readonly says: (member: Member) => string;
}

const UNSUPPORTED: readonly UnsupportedUse[] = [
  {
    // Ajv skips a property named `__proto__`, but the JSON Schema Test Suite expects such a
    // property to be checked.
    refuses: ({ name }) => name === '__proto__',
    says: () => 'is a property name that cannot be checked here; use `patternProperties` instead',
  },
  {
    // `JSON.parse` turns `1e400` into infinity.
    refuses: ({ value }) => typeof value === 'number' && !Number.isFinite(value),
    says: () => 'is too large for a double',
  },
  {
    refuses: (member) => !isPattern(patternOf(member) ?? ''),
    says: (member) =>
      `is ${quoteValue(patternOf(member))}, which is not an ECMAScript regular expression`,
  },
  {
    keyword: 'items',
    refuses: ({ value }, { dialect }) => Array.isArray(value) && isSince(dialect, '2020-12'),
    says: () =>
      'must be one schema, not an array; use `prefixItems`, or name an older draft in `$schema`',
  },
  {
    // Some schemas embed schemas of other drafts, but Ajv evaluates the whole document as one
    // draft.
    keyword: '$schema',
    refuses: ({ place, value }, { dialect }) =>
      isEmbedded(place) && typeof value === 'string' && dialectOf(value) !== dialect,
    says: () => 'must be omitted or name the dialect of the whole schema',
  },
  // `$dynamicRef` means the outermost anchor in the dynamic scope, but Ajv may choose another.
  { keyword: '$dynamicRef', refuses: isAmbiguous, says: adviseReference },
  { keyword: '$recursiveRef', refuses: isAmbiguous, says: adviseReference },
  {
    keyword: '$ref',
    refuses: ({ place }, { dialect }) => isMovedByNull(targetOf(place), dialect),
    says: ({ value }) =>
      `refers to ${quoteValue(value)} inside a schema with \`nullable\`; move that part under \`$defs\` and refer to it there`,
  },
  {
    // Ajv would resolve a reference such as `#/$defs/constructor` to a member that every JavaScript
    // object inherits.
    keyword: '$ref',
    refuses: ({ place, value }) =>
      targetOf(place) === undefined && localSteps(value).some((step) => step in Object.prototype),
    says: ({ value }) => `refers to ${quoteValue(value)}, where there is no schema`,
  },
];

/**
 * Refuses members that Ajv would evaluate wrongly according to the JSON Schema Test Suite.
 * @throws {InvalidSchema} with the pointer to the first such member
 */
export function refuseUnsupported(document: SchemaDocument): void {
  const context = { ...document, repeatedAnchors: repeatedAnchors(document) };
  for (const place of document.places.values())
    for (const [name, value] of Object.entries(place.value)) {
      const member = { place, name, value };
      const refusal = UNSUPPORTED.find(
        ({ keyword, refuses }) =>
          (keyword === undefined || (keyword === name && isSchema(place))) &&
          refuses(member, context),
      );
      if (refusal) throw new InvalidSchema(pointerTo(place, name), refusal.says(member));
    }
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

function isAmbiguous({ value }: Member, { repeatedAnchors }: Context): boolean {
  return repeatedAnchors.has(String(value).split('#')[1]);
}

function adviseReference(): string {
  return 'is not supported if several schemas declare the same anchor; use `$ref` instead';
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
