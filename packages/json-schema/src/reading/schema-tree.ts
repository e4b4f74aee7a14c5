import { pointerToken } from '@gatehouse/contracts';
import { InvalidSchema } from './invalid-schema.ts';
import { DATA_ANNOTATIONS, KEYWORDS } from './keywords.ts';

/** A JSON object. */
export type Node = Readonly<Record<string, unknown>>;
export type Schema = Node | boolean;

/**
 * What an object or array of a schema is: a schema or a list of them, names with a schema
 * each, data, or something that no keyword leads to. A `$ref` may lead into the last.
 */
export type Role = 'schema' | 'names' | 'data' | 'unknown' | 'unknown names';

/** The role of a member of an object that has a role itself. */
export function roleOf(name: string, parent: Role): Role {
  if (parent === 'data') return 'data';
  if (parent === 'names') return 'schema';
  if (parent === 'unknown names') return 'unknown';
  const holds = KEYWORDS.get(name)?.holds;
  if (holds === 'named schemas') return parent === 'schema' ? 'names' : 'unknown names';
  if (holds === 'schema') return parent;
  if (holds === 'data') return 'data';
  return parent === 'schema' && DATA_ANNOTATIONS.has(name) ? 'data' : 'unknown';
}

/** An object or array within a schema. */
export interface Place {
  readonly value: object;
  readonly role: Role;
  readonly depth: number;
  readonly name: string;
  readonly parent: Place | undefined;
}

export const rootPlace = (schema: Node): Place => {
  return { value: schema, role: 'schema', depth: 1, name: '', parent: undefined };
};

/** Schemas by their value. */
export type Referred = ReadonlyMap<object, Place>;
const NONE: Referred = new Map();

/** Every object and array, with its role; the outermost first. */
export function* walkSchema(schema: Node, referred = NONE): Generator<Place> {
  const pending = [rootPlace(schema)];
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    yield place;
    for (const member of placesOfMembers(place)) pending.push(referred.get(member.value) ?? member);
  }
}

function placesOfMembers(place: Place): Place[] {
  const members = Object.keys(place.value).map((name) => placeOfMember(place, name));
  return members.filter((member) => member !== undefined);
}

/** An object or array in a place. */
export function placeOfMember(parent: Place, name: string): Place | undefined {
  if (!Object.hasOwn(parent.value, name)) return undefined;
  const value = (parent.value as Node)[name];
  if (typeof value !== 'object' || value === null) return undefined;
  const role = Array.isArray(parent.value) ? parent.role : roleOf(name, parent.role);
  return { value, role, depth: parent.depth + 1, name, parent };
}

/** Schemas to which a `$ref` alone leads, as it does to those of OpenAPI's components. */
export function referredSchemas(schema: Node): Referred {
  const referred = new Map<object, Place>();
  const seen = new Set<object>();
  const pending = [rootPlace(schema)];
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    if (seen.has(place.value)) continue;
    seen.add(place.value);
    pending.push(
      ...placesOfMembers(place).filter(({ role }) => role === 'schema' || role === 'names'),
    );
    const target = isSchema(place) ? targetOf(place.value as Node, schema) : undefined;
    if (!target?.role.startsWith('unknown') || seen.has(target.value)) continue;
    const found: Place = { ...target, role: 'schema' };
    if (!isSchema(found)) continue;
    referred.set(target.value, found);
    pending.push(found);
  }
  return referred;
}

/** The place that a `$ref` into the same document leads to. */
function targetOf({ $ref }: Node, schema: Node): Place | undefined {
  if (typeof $ref !== 'string' || !$ref.startsWith('#/')) return undefined;
  return placesOnTheWay($ref.slice(1), rootPlace(schema)).at(-1);
}

/** The places that a JSON Pointer passes, up to its target; none when there is no target. */
export function placesOnTheWay(pointer: string, from: Place): Place[] {
  const places = [from];
  for (const step of pointerSteps(decodeFragment(pointer) ?? '')) {
    const next = placeOfMember(places.at(-1) ?? from, step);
    if (next === undefined) return [];
    places.push(next);
  }
  return places;
}

/** The fragment of a URI; undefined: it is malformed. */
function decodeFragment(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

/** The names in a JSON Pointer. */
export function pointerSteps(pointer: string): string[] {
  const steps = pointer.split('/').slice(1);
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The JSON Pointer to a member of a place. */
export function pointerToPlace(place: Place | undefined, name?: string): string {
  const own = name === undefined ? '' : `/${pointerToken(name)}`;
  if (place?.parent === undefined) return own;
  return `${pointerToPlace(place.parent, place.name)}${own}`;
}

/** @throws {InvalidSchema} at a member of a place. */
export function refuse(place: Place | undefined, name: string, message: string): never {
  throw new InvalidSchema(pointerToPlace(place, name), message);
}

/** Whether a place is a schema that keywords lead to. */
export function isSchema({ role, value }: Place): boolean {
  return role === 'schema' && !Array.isArray(value);
}
