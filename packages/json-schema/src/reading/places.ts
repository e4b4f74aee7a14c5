import { pointerToken } from '@gatehouse/contracts';
import { InvalidSchema } from './invalid-schema.ts';

/** JSON object of a caller's schema, which is rewritten in place. */
export type Node = Record<string, unknown>;

/**
 * Role of an object or array in a schema: a schema or a list of schemas; a map from names to
 * schemas; data without keywords, such as `enum`; or other, which no keyword leads to.
 */
type Role = 'schema' | 'names' | 'data' | 'other';

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

/** Lists all objects and arrays of a schema. @throws {InvalidSchema} if a `$ref` leads to data */
export function placesIn(schema: Node): Place[] {
  const found = new Map<object, Place>();
  const root: Place = { value: schema, role: 'schema', depth: 1, name: '', parent: undefined };
  const pending = [root];
  // Visited last, because a `$ref` to them, as into OpenAPI's components, makes them schemas.
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
    'is used as a schema by a `$ref`, but as something else where it is; put the schema under `$defs`',
  );
}

export function membersOf(place: Place): Place[] {
  const members = Object.keys(place.value).map((name) => memberOf(place, name));
  return members.filter((member) => member !== undefined);
}

export function memberOf(parent: Place, name: string): Place | undefined {
  if (!Object.hasOwn(parent.value, name)) return undefined;
  const value = (parent.value as Node)[name];
  if (typeof value !== 'object' || value === null) return undefined;
  const role = Array.isArray(parent.value) ? parent.role : roleOf(name, parent.role);
  return { value, role, depth: parent.depth + 1, name, parent };
}

/** Returns the target of a schema's `$ref`, if that is a JSON Pointer. */
export function targetOf(place: Place): Place | undefined {
  const { $ref } = place.value as Node;
  if (!isSchema(place) || typeof $ref !== 'string' || !$ref.startsWith('#/')) return undefined;
  let base = place;
  while (base.parent !== undefined && !isEmbedded(base)) base = base.parent;
  return followPointer($ref.slice(1), base);
}

/** Resolves a JSON Pointer that is encoded as in a URI fragment. */
export function followPointer(pointer: string, from: Place): Place | undefined {
  let place: Place | undefined = from;
  for (const step of pointerSteps(decodeFragment(pointer) ?? ''))
    place = place && memberOf(place, step);
  return place;
}

function decodeFragment(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

export function pointerSteps(pointer: string): string[] {
  const steps = pointer.split('/').slice(1);
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function pointerTo({ parent, name }: Place, member?: string): string {
  const own = parent === undefined ? '' : `${pointerTo(parent)}/${pointerToken(name)}`;
  return member === undefined ? own : `${own}/${pointerToken(member)}`;
}

/** @throws {InvalidSchema} with the pointer of a member */
export function refuseMember(place: Place, name: string, message: string): never {
  throw new InvalidSchema(pointerTo(place, name), message);
}

/** True for a schema, but not for a list of schemas. */
export function isSchema({ role, value }: Place): boolean {
  return role === 'schema' && !Array.isArray(value);
}

/** True for a schema within another one that has its own base URI. */
export function isEmbedded(place: Place): boolean {
  const { $id, id = $id } = place.value as Node;
  const isIdentifier = typeof id === 'string' && !id.startsWith('#');
  return place.parent !== undefined && isSchema(place) && isIdentifier;
}
