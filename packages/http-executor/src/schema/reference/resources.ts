import { type Dialect, dialectOf } from '../reading/dialects.ts';
import { InvalidSchema, quoteValue } from '../reading/invalid-schema.ts';
import {
  decodeFragment,
  isSchema,
  type Node,
  type Place,
  pointerSteps,
  pointerToPlace,
  type Schema,
  walkSchema,
} from '../reading/schema-tree.ts';

/** A schema with a URI of its own: the whole, or one that it embeds. */
export interface Resource {
  readonly uri: string;
  readonly root: Node;
  readonly dialect: Dialect;
  readonly anchors: Map<string, Node>;
  readonly dynamicAnchors: Map<string, Node>;
}

/** What a reference leads to. */
export interface Target {
  readonly schema: Schema;
  readonly resource: Resource;
  readonly fragment: string;
}

/** The base of a schema without `$id`. */
const ROOT_URI = 'schema:///';

/** Finds what a reference in a schema leads to; nothing is fetched. */
export class Resources {
  readonly #byUri = new Map<string, Resource>();
  readonly #byNode = new Map<object, { resource: Resource; place: Place }>();
  readonly #known: (uri: string) => Schema | undefined;

  /** `known` has the schemas that need not be embedded. */
  constructor(schema: Node, dialect: Dialect, known: (uri: string) => Schema | undefined) {
    this.#known = known;
    this.#add(schema, dialect, ROOT_URI);
  }

  of(schema: Node): Resource {
    const found = this.#byNode.get(schema);
    if (found === undefined) throw new RangeError('no schema of this document');
    return found.resource;
  }

  /** The resources in which a dynamic anchor of this name is. */
  withDynamicAnchor(name: string): Resource[] {
    return [...this.#byUri.values()].filter(({ dynamicAnchors }) => dynamicAnchors.has(name));
  }

  /** @throws {InvalidSchema} when the reference leads nowhere. */
  resolve(keyword: string, from: Node): Target {
    const ref = String(from[keyword]);
    const { resource, place } = this.#byNode.get(from) ?? {};
    if (resource !== undefined && place !== undefined) {
      const target = this.#find(absoluteUri(ref, resource.uri));
      if (target !== undefined) return target;
    }
    const message = `refers to ${quoteValue(ref)}, which is not in this schema, and nothing is fetched; put that schema under \`$defs\`, with its \`$id\` if it has one`;
    throw new InvalidSchema(pointerToPlace(place, keyword), message);
  }

  #find(reference: string): Target | undefined {
    const [uri = '', encoded = ''] = reference.split('#');
    const resource = this.#byUri.get(uri) ?? this.#addKnown(uri);
    const fragment = decodeFragment(encoded);
    if (resource === undefined || fragment === undefined) return undefined;
    if (fragment.startsWith('/')) return this.#follow(resource, fragment);
    const schema = fragment === '' ? resource.root : resource.anchors.get(fragment);
    return schema && { schema, resource, fragment };
  }

  #addKnown(uri: string): Resource | undefined {
    const schema = this.#known(uri);
    if (typeof schema !== 'object') return undefined;
    return this.#add(schema, dialectOf(String(schema.$schema)) ?? '2020-12', uri);
  }

  /** Follows a JSON Pointer, also through what no keyword leads to. */
  #follow(from: Resource, pointer: string): Target | undefined {
    let value: unknown = from.root;
    let resource = from;
    for (const name of pointerSteps(pointer)) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
        return undefined;
      value = (value as Node)[name];
      if (typeof value === 'object' && value !== null)
        resource = this.#byNode.get(value)?.resource ?? resource;
    }
    if (typeof value === 'boolean') return { schema: value, resource, fragment: pointer };
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    if (!this.#byNode.has(value)) this.#index(value as Node, resource);
    return { schema: value as Node, resource, fragment: pointer };
  }

  #add(root: Node, dialect: Dialect, base: string): Resource {
    const resource = this.#open(root, dialect, base);
    this.#index(root, resource);
    return resource;
  }

  #open(root: Node, dialect: Dialect, base: string): Resource {
    const { $id, $schema } = root;
    const [uri = ''] = absoluteUri(typeof $id === 'string' ? $id : '', base).split('#');
    const own = typeof $schema === 'string' ? dialectOf($schema) : undefined;
    const found = {
      uri,
      root,
      dialect: own ?? dialect,
      anchors: new Map(),
      dynamicAnchors: new Map(),
    };
    if (!this.#byUri.has(uri)) this.#byUri.set(uri, found);
    return found;
  }

  /** Notes to which resource each schema within belongs, and the anchors. */
  #index(root: Node, resource: Resource): void {
    const resources = new Map<Place | undefined, Resource>();
    for (const place of walkSchema(root)) {
      let own = resources.get(place.parent) ?? resource;
      if (isSchema(place)) {
        const node = place.value as Node;
        if (node !== root && embedsResource(node)) own = this.#open(node, own.dialect, own.uri);
        nameAnchors(node, own);
        this.#byNode.set(node, { resource: own, place });
      }
      resources.set(place, own);
    }
  }
}

function embedsResource({ $id }: Node): boolean {
  return typeof $id === 'string' && !$id.startsWith('#');
}

function nameAnchors(node: Node, { anchors, dynamicAnchors }: Resource): void {
  const { $id, $anchor, $dynamicAnchor } = node;
  // Before 2019-09, an `$id` could name a place.
  const [, named] = typeof $id === 'string' ? $id.split('#') : [];
  for (const name of [named, $anchor, $dynamicAnchor]) {
    if (typeof name === 'string' && name !== '' && !anchors.has(name)) anchors.set(name, node);
  }
  if (typeof $dynamicAnchor === 'string') dynamicAnchors.set($dynamicAnchor, node);
  if (node.$recursiveAnchor === true) dynamicAnchors.set('', node);
}

function absoluteUri(reference: string, base: string): string {
  if (reference === '' || reference.startsWith('#')) return `${base}${reference}`;
  return URL.parse(reference, base)?.href ?? reference;
}
