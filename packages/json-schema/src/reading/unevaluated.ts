import { type Node, type Place, placeOfMember, placesOnTheWay, refuse } from './schema-tree.ts';

/** A schema with all those that are in it. */
export interface Document {
  readonly places: readonly Place[];
  /** The whole schema, and those that it embeds. */
  readonly roots: readonly Place[];
  /** Whether `contains` evaluates items. */
  readonly hasContains: boolean;
}

/** What Ajv gets wrong, and what to write instead. */
interface Limits {
  readonly refused: readonly string[];
  readonly refusedInBranch: readonly string[];
  readonly advice: string;
}

const CONDITIONS = ['if', 'dependentSchemas', 'dependencies'];

const PROPERTIES: Limits = {
  refused: CONDITIONS,
  refusedInBranch: [...CONDITIONS, 'anyOf', 'oneOf', 'unevaluatedProperties'],
  advice:
    'is not supported together with `unevaluatedProperties`; close each case by `additionalProperties` instead',
};

const ITEM_WORDS = ['anyOf', 'oneOf', 'items', 'additionalItems', 'unevaluatedItems'];

function limitsOfItems(hasContains: boolean): Limits {
  const refused = hasContains ? [...CONDITIONS, 'contains'] : CONDITIONS;
  return {
    refused,
    refusedInBranch: [...refused, ...ITEM_WORDS],
    advice:
      'is not supported together with `unevaluatedItems`; close each case by `maxItems` instead',
  };
}

/**
 * Refuses an `unevaluated…` that depends on what Ajv does not track: conditions, and branches
 * within branches. @throws {InvalidSchema}
 */
export function refuseUnevaluated(place: Place, document: Document): void {
  if (Object.hasOwn(place.value, 'unevaluatedProperties'))
    new Reach(PROPERTIES, document).visit(place, false);
  if (Object.hasOwn(place.value, 'unevaluatedItems'))
    new Reach(limitsOfItems(document.hasContains), document).visit(place, false);
}

/** Keywords whose schemas apply to the same value. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'not'];

/** An array of `items` is what `prefixItems` is in 2020-12. */
const isPrefix = (name: string, value: unknown) => name === 'items' && Array.isArray(value);

/** Follows what an `unevaluated…` depends on. */
class Reach {
  readonly #limits: Limits;
  readonly #document: Document;
  readonly #seen = { inBranch: new Set<object>(), outside: new Set<object>() };

  constructor(limits: Limits, document: Document) {
    this.#limits = limits;
    this.#document = document;
  }

  visit(place: Place, isInBranch: boolean): void {
    const seen = isInBranch ? this.#seen.inBranch : this.#seen.outside;
    if (seen.has(place.value)) return;
    seen.add(place.value);
    const node = place.value as Node;
    const { refused, refusedInBranch, advice } = this.#limits;
    for (const name of isInBranch ? refusedInBranch : refused)
      if (Object.hasOwn(node, name) && !isPrefix(name, node[name])) refuse(place, name, advice);
    // A `nullable` becomes a branch.
    this.#visitMembers(place, isInBranch || node.nullable === true);
  }

  #visitMembers(place: Place, isInBranch: boolean): void {
    for (const name of IN_PLACE)
      for (const member of schemasIn(place, name))
        this.visit(member, isInBranch || name === 'anyOf' || name === 'oneOf');
    const { $recursiveRef, $dynamicRef = $recursiveRef, $ref = $dynamicRef } = place.value as Node;
    if (typeof $ref === 'string')
      for (const target of this.#targets($ref)) this.visit(target, isInBranch);
  }

  /** Every schema that a reference might lead to, whatever its base. */
  #targets($ref: string): Place[] {
    const [, fragment = ''] = $ref.split('#');
    const { places, roots } = this.#document;
    if (fragment === '' || fragment.startsWith('/'))
      return roots
        .flatMap((root) => placesOnTheWay(fragment, root).slice(-1))
        .map((place) => ({ ...place, role: 'schema' }));
    return places.filter(({ value }) => {
      const { $anchor, $dynamicAnchor } = value as Node;
      return $anchor === fragment || $dynamicAnchor === fragment;
    });
  }
}

/** The schema of a keyword, or those in its list. */
function schemasIn(parent: Place, keyword: string): Place[] {
  const member = placeOfMember(parent, keyword);
  if (member === undefined || !Array.isArray(member.value)) return member ? [member] : [];
  const items = [...member.value.keys()].map((index) => placeOfMember(member, String(index)));
  return items.filter((item) => item !== undefined);
}
