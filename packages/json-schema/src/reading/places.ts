import { pointerToken } from '@gatehouse/contracts';
import { InvalidSchema } from './invalid-schema.ts';

/** A JSON object of a caller's schema; it is rewritten in place. */
export type Node = Record<string, unknown>;

/**
 * What an object or array of a schema is: a schema or a list of them, names with a schema each,
 * data in which nothing is a keyword, or something else that no keyword leads to.
 */
export type Role = 'schema' | 'names' | 'data' | 'other';

/** An object or array within a schema. */
export interface Place {
  readonly value: object;
  readonly role: Role;
  readonly depth: number;
  readonly name: string;
  readonly parent: Place | undefined;
}

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

/** Every object and array of a schema. @throws {InvalidSchema} when a `$ref` leads to data. */
export function placesIn(schema: Node): Place[] {
  const found = new Map<object, Place>();
  const root: Place = { value: schema, role: 'schema', depth: 1, name: '', parent: undefined };
  const pending = [root];
  // Last, because a `$ref` makes schemas of them, such as those in OpenAPI's components.
  const others: Place[] = [];
  for (let place = pending.pop(); place !== undefined; place = pending.pop() ?? others.pop()) {
    const known = found.get(place.value);
    if (known !== undefined) refuseTwoRoles(place, known);
    else {
      found.set(place.value, place);
      for (const member of membersOf(place))
        (member.role === 'other' ? others : pending).push(member);
      const target = targetOf(place);
      if (target !== undefined) pending.push({ ...target, role: 'schema' });
    }
  }
  return [...found.values()];
}

function refuseTwoRoles(place: Place, known: Place): void {
  if (place.role === 'other' || place.role === known.role) return;
  throw new InvalidSchema(
    pointerTo(place),
    'is used as a schema by a `$ref`, and as something else by its place; put the schema under `$defs`',
  );
}

/** The objects and arrays in a place. */
export function membersOf(place: Place): Place[] {
  const members = Object.keys(place.value).map((name) => memberOf(place, name));
  return members.filter((member) => member !== undefined);
}

/** An object or array in a place. */
export function memberOf(parent: Place, name: string): Place | undefined {
  if (!Object.hasOwn(parent.value, name)) return undefined;
  const value = (parent.value as Node)[name];
  if (typeof value !== 'object' || value === null) return undefined;
  const role = Array.isArray(parent.value) ? parent.role : roleOf(name, parent.role);
  return { value, role, depth: parent.depth + 1, name, parent };
}

/** The place that the `$ref` of a schema leads to, if it is a JSON Pointer. */
export function targetOf(place: Place): Place | undefined {
  const { $ref } = place.value as Node;
  if (!isSchema(place) || typeof $ref !== 'string' || !$ref.startsWith('#/')) return undefined;
  let base = place;
  while (base.parent !== undefined && !isEmbedded(base)) base = base.parent;
  return follow($ref.slice(1), base);
}

/** The place that a JSON Pointer, as in the fragment of a URI, leads to. */
export function follow(pointer: string, from: Place): Place | undefined {
  let place: Place | undefined = from;
  for (const step of pointerSteps(decodeFragment(pointer) ?? ''))
    place = place && memberOf(place, step);
  return place;
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

/** The JSON Pointer to a place, or to a member of it. */
export function pointerTo({ parent, name }: Place, member?: string): string {
  const own = parent === undefined ? '' : `${pointerTo(parent)}/${pointerToken(name)}`;
  return member === undefined ? own : `${own}/${pointerToken(member)}`;
}

/** @throws {InvalidSchema} at a member of a place. */
export function refuse(place: Place, name: string, message: string): never {
  throw new InvalidSchema(pointerTo(place, name), message);
}

/** Whether a place is one schema. */
export function isSchema({ role, value }: Place): boolean {
  return role === 'schema' && !Array.isArray(value);
}

/** Whether a place is a schema within another that has a base of its own. */
export function isEmbedded(place: Place): boolean {
  const { $id, id = $id } = place.value as Node;
  const isIdentifier = typeof id === 'string' && !id.startsWith('#');
  return place.parent !== undefined && isSchema(place) && isIdentifier;
}
