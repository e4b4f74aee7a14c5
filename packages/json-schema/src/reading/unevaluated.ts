import { isSince } from './dialects.ts';
import {
  followPointer,
  isEmbedded,
  isSchema,
  memberOf,
  membersOf,
  type Node,
  type Place,
  refuseMember,
} from './places.ts';
import type { SchemaDocument } from './read.ts';

/** Keywords that Ajv evaluates wrongly if an `unevaluated…` depends on them. */
interface Limits {
  readonly keyword: 'unevaluatedProperties' | 'unevaluatedItems';
  readonly refused: readonly string[];
  readonly refusedInBranch: readonly string[];
  readonly instead: string;
}

const CONDITIONS = ['if', 'dependentSchemas', 'dependencies'];
const BRANCHES = ['anyOf', 'oneOf'];

const PROPERTIES: Limits = {
  keyword: 'unevaluatedProperties',
  refused: CONDITIONS,
  refusedInBranch: [...CONDITIONS, ...BRANCHES, 'unevaluatedProperties'],
  instead: 'additionalProperties',
};

/** Since draft 2020-12, `contains` counts items as evaluated. */
function itemLimits(hasContains: boolean): Limits {
  const refused = hasContains ? [...CONDITIONS, 'contains'] : CONDITIONS;
  const words = ['items', 'prefixItems', 'additionalItems', 'unevaluatedItems'];
  const refusedInBranch = [...refused, ...BRANCHES, ...words];
  return { keyword: 'unevaluatedItems', refused, refusedInBranch, instead: 'maxItems' };
}

/**
 * Refuses an `unevaluated…` that depends on conditions or on branches within branches, because Ajv
 * does not track them. @throws {InvalidSchema}
 */
export function refuseUnevaluated(document: SchemaDocument): void {
  if (!isSince(document.dialect, '2019-09')) return;
  for (const limits of [PROPERTIES, itemLimits(isSince(document.dialect, '2020-12'))]) {
    const reach = new Reach(limits, document.places);
    for (const place of document.places)
      if (isSchema(place) && Object.hasOwn(place.value, limits.keyword)) reach.visit(place, false);
  }
}

class Reach {
  readonly #limits: Limits;
  readonly #places: readonly Place[];
  readonly #seen = { inBranch: new Set<object>(), outside: new Set<object>() };

  constructor(limits: Limits, places: readonly Place[]) {
    this.#limits = limits;
    this.#places = places;
  }

  visit(place: Place, isInBranch: boolean): void {
    const seen = isInBranch ? this.#seen.inBranch : this.#seen.outside;
    if (seen.has(place.value)) return;
    seen.add(place.value);
    const node = place.value as Node;
    const { keyword, refused, refusedInBranch, instead } = this.#limits;
    for (const name of isInBranch ? refusedInBranch : refused)
      if (Object.hasOwn(node, name))
        refuseMember(
          place,
          name,
          `is not supported together with \`${keyword}\`; close each case by \`${instead}\` instead`,
        );
    // `addNullBranches` turns a `nullable` into a branch.
    this.#visitInPlace(place, isInBranch || node.nullable === true);
  }

  /** Visits the schemas that apply to the same value. */
  #visitInPlace(place: Place, isInBranch: boolean): void {
    for (const name of ['allOf', 'anyOf', 'oneOf', 'not'])
      for (const member of schemasOf(place, name))
        this.visit(member, isInBranch || BRANCHES.includes(name));
    const { $recursiveRef, $dynamicRef = $recursiveRef, $ref = $dynamicRef } = place.value as Node;
    if (typeof $ref !== 'string') return;
    for (const target of this.#targets($ref)) this.visit(target, isInBranch);
  }

  /** Lists every schema that a reference might lead to, under any base URI. */
  #targets($ref: string): Place[] {
    const [, fragment = ''] = $ref.split('#');
    const isPointer = fragment === '' || fragment.startsWith('/');
    const isAnchor = ({ value }: Place) => {
      const { $anchor, $dynamicAnchor } = value as Node;
      return $anchor === fragment || $dynamicAnchor === fragment;
    };
    if (!isPointer) return this.#places.filter(isAnchor);
    const roots = this.#places.filter((place) => !place.parent || isEmbedded(place));
    return roots
      .map((root) => followPointer(fragment, root))
      .filter((found) => found !== undefined);
  }
}

function schemasOf(parent: Place, keyword: string): Place[] {
  const member = memberOf(parent, keyword);
  if (member === undefined) return [];
  return isSchema(member) ? [member] : membersOf(member);
}
