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
  if (holds === 'schema' || holds === 'schemas') return parent;
  if (holds !== undefined) return 'data';
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

/** Every object and array, with its role; the outermost first. */
export function* placesOf(schema: Node): Generator<Place> {
  const pending: Place[] = [
    { value: schema, role: 'schema', depth: 1, name: '', parent: undefined },
  ];
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    yield place;
    const { value: parent, role, depth } = place;
    const isList = Array.isArray(parent);
    for (const [name, value] of Object.entries(parent)) {
      if (typeof value !== 'object' || value === null) continue;
      const own = isList ? role : roleOf(name, role);
      pending.push({ value, role: own, depth: depth + 1, name, parent: place });
    }
  }
}

/** The JSON Pointer to a member of a place. */
export function pointerTo(place: Place | undefined, name?: string): string {
  const own = name === undefined ? '' : `/${escaped(name)}`;
  if (place?.parent === undefined) return own;
  return `${pointerTo(place.parent, place.name)}${own}`;
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Whether a place is a schema that keywords lead to. */
export function isSchema({ role, value }: Place): boolean {
  return role === 'schema' && !Array.isArray(value);
}
