import { pointerToken } from '@gatehouse/contracts';
import type { idKeywordOf } from './dialects.ts';
import { InvalidSchema } from './invalid-schema.ts';

/** JSON object in a caller's schema. */
export type Node = Readonly<Record<string, unknown>>;

type Role =
  | 'schema' // a schema, a list of schemas, or the target of a `$ref`
  | 'names' // a map from names to schemas, such as the value of `properties`
  | 'data' // plain data, such as the value of `enum`
  | 'other'; // anything else, such as the value of an unknown keyword

export interface Place {
  readonly value: object;
  readonly role: Role;
  readonly depth: number;
  readonly name: string;
  readonly parent: Place | undefined;
  /** Keyword that gives a schema of this draft its own base URI. */
  readonly idKeyword: ReturnType<typeof idKeywordOf>;
}

/** Maps each object or array in a schema to its place, such as `/properties`. The root is first. */
export type Places = ReadonlyMap<unknown, Place>;

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const SCHEMAS = words(
  'additionalItems additionalProperties allOf anyOf contains contentSchema else if items not ' +
    'oneOf prefixItems propertyNames then unevaluatedItems unevaluatedProperties',
);
const NAMED_SCHEMAS = words(
  '$defs definitions dependencies dependentSchemas patternProperties properties',
);
const DATA = words(
  'const default dependentRequired discriminator enum example examples externalDocs xml',
);

function roleOf(name: string, parent: Role): Role {
  if (parent === 'names') return 'schema';
  if (parent !== 'schema') return parent;
  if (SCHEMAS.has(name)) return 'schema';
  if (NAMED_SCHEMAS.has(name)) return 'names';
  return DATA.has(name) ? 'data' : 'other';
}

/**
 * Finds all objects and arrays in a schema. The value of an unknown keyword counts as a schema only
 * if a `$ref` refers to it. These values are visited last, when all `$ref`s are known.
 * @throws {InvalidSchema} if a `$ref` refers to data that is not a schema, such as `enum` items
 */
export function placesIn(schema: Node, idKeyword: Place['idKeyword']): Places {
  const found = new Map<object, Place>();
  const others: Place[] = [];
  const visit = (start: Place) => {
    const pending = [start];
    for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
      if (!mustVisit(place, found.get(place.value))) continue;
      found.set(place.value, place);
      for (const member of membersOf(place))
        (member.role === 'other' ? others : pending).push(member);
      const target = targetOf(place);
      if (target !== undefined) pending.push({ ...target, role: 'schema' });
    }
  };
  visit({ value: schema, role: 'schema', depth: 1, name: '', parent: undefined, idKeyword });
  for (let other = others.pop(); other !== undefined; other = others.pop()) visit(other);
  return found;
}

/** @throws {InvalidSchema} if a `$ref` turns a place with another role into a schema */
function mustVisit(place: Place, known: Place | undefined): boolean {
  if (known === undefined) return true;
  if (place.role === 'other' || place.role === known.role) return false;
  throw new InvalidSchema(
    pointerTo(place),
    'is the target of a `$ref`, but a schema is not allowed here; move it under `$defs`',
  );
}

function membersOf(place: Place): Place[] {
  return Object.keys(place.value).flatMap((name) => memberOf(place, name) ?? []);
}

function memberOf(parent: Place, name: string): Place | undefined {
  if (!Object.hasOwn(parent.value, name)) return undefined;
  const value = (parent.value as Node)[name];
  if (typeof value !== 'object' || value === null) return undefined;
  const role = Array.isArray(parent.value) ? parent.role : roleOf(name, parent.role);
  return { ...parent, value, role, depth: parent.depth + 1, name, parent };
}

/** Returns the target of a `$ref` such as `#/$defs/a`, or undefined for other kinds of `$ref`. */
export function targetOf(place: Place): Place | undefined {
  const steps = isSchema(place) ? localSteps((place.value as Node).$ref) : [];
  if (steps.length === 0) return undefined;
  let target: Place | undefined = resourceOf(place);
  for (const step of steps) target = target && memberOf(target, step);
  return target;
}

/** Splits `#/$defs/a` into `$defs` and `a`. Returns `[]` unless `$ref` starts with `#/`. */
export function localSteps($ref: unknown): string[] {
  if (typeof $ref !== 'string' || !$ref.startsWith('#/')) return [];
  try {
    return pointerSteps(decodeURIComponent($ref));
  } catch {
    return [];
  }
}

/** Returns the closest enclosing schema with its own base URI, or else the whole schema. */
export function resourceOf(place: Place): Place {
  let resource = place;
  while (resource.parent !== undefined && !isEmbedded(resource)) resource = resource.parent;
  return resource;
}

export function pointerSteps(pointer: string): string[] {
  const steps = pointer.split('/').slice(1);
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function pointerTo({ parent, name }: Place, member?: string): string {
  const own = parent === undefined ? '' : `${pointerTo(parent)}/${pointerToken(name)}`;
  return member === undefined ? own : `${own}/${pointerToken(member)}`;
}

/** True if the value is a single schema, and not a list of schemas such as an `allOf` array. */
export function isSchema({ role, value }: Place): boolean {
  return role === 'schema' && !Array.isArray(value);
}

/** True if the value is a nested schema that has its own base URI. */
export function isEmbedded(place: Place, idKeyword = place.idKeyword): boolean {
  const id = (place.value as Node)[idKeyword];
  const isIdentifier = typeof id === 'string' && !id.startsWith('#');
  return place.parent !== undefined && isSchema(place) && isIdentifier;
}
