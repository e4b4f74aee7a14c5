/** An object of JSON. */
export type Node = Readonly<Record<string, unknown>>;

export const asNode = (value: unknown): Node =>
  typeof value === 'object' && value !== null ? (value as Node) : {};

/** What a JSON Pointer within a document leads to. */
export function at(document: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, name) => asNode(value)[name], document);
}

/** Every reference within a value. */
function refsIn(value: unknown, found: Set<string> = new Set()): Set<string> {
  if (typeof value !== 'object' || value === null) return found;
  const { $ref } = value as Node;
  if (typeof $ref === 'string') found.add($ref);
  for (const member of Object.values(value)) refsIn(member, found);
  return found;
}

/** A schema with the parts of its document that it refers to, each in its place. */
export function withParts(schema: Node, document: Node): Node {
  const parts: Record<string, Record<string, unknown>> = {};
  const pending = [...refsIn(schema)];
  const known = new Set<string>();
  for (let ref = pending.pop(); ref !== undefined; ref = pending.pop()) {
    // Only the names below `components/schemas` and `definitions` are whole parts.
    const [, path = '', name = ''] =
      /^#\/(components\/schemas|definitions|\$defs)\/([^/]+)/.exec(ref) ?? [];
    if (path === '' || known.has(`${path}/${name}`)) continue;
    known.add(`${path}/${name}`);
    const part = at(document, `/${path}/${name}`);
    parts[path] = { ...parts[path], [decodeURIComponent(name)]: part };
    pending.push(...refsIn(part));
  }
  const { 'components/schemas': schemas, definitions, $defs } = parts;
  return {
    ...schema,
    ...(schemas && { components: { schemas } }),
    ...(definitions && { definitions }),
    ...($defs && { $defs }),
  };
}

/** The schema of a file; files that it refers to are embedded, each by its name. */
export function withFiles(path: string, files: ReadonlyMap<string, unknown>): Node {
  const base = 'https://published.test/';
  const schema = asNode(files.get(path));
  const embedded: Record<string, Node> = {};
  const own = { $id: `${base}${path}`, ...schema };
  const pending: [ref: string, from: string][] = [...refsIn(schema)].map((ref) => [ref, own.$id]);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [uri = ''] = (URL.parse(...next)?.href ?? '').split('#');
    const name = [...files.keys()].find((each) => fileName(each) === fileName(uri));
    if (name === undefined || name === path || name in embedded) continue;
    const document = asNode(files.get(name));
    embedded[name] = { ...document, $id: uri };
    pending.push(...[...refsIn(document)].map((ref): [string, string] => [ref, uri]));
  }
  if (Object.keys(embedded).length === 0) return schema;
  return { ...own, definitions: { ...asNode(schema.definitions), ...embedded } };
}

const fileName = (path: string) => path.slice(path.lastIndexOf('/') + 1);

/** The schemas of JSON responses with status 200 or 201 of an OpenAPI document. */
export function responseSchemas(document: unknown): [name: string, schema: Node][] {
  const { paths, webhooks } = asNode(document);
  return Object.entries({ ...asNode(paths), ...asNode(webhooks) }).flatMap(([path, operations]) =>
    Object.entries(asNode(operations)).flatMap(([method, operation]) => {
      const { responses, requestBody } = asNode(operation);
      const bodies =
        paths === undefined ? [requestBody] : ['200', '201'].map((each) => asNode(responses)[each]);
      return bodies.flatMap((body) => {
        const { $ref } = asNode(body);
        const { content } = asNode(typeof $ref === 'string' ? at(document, $ref.slice(1)) : body);
        const { schema } = asNode(asNode(content)['application/json']);
        if (schema === undefined) return [];
        return [
          [`${method} ${path}`, withParts(asNode(schema), asNode(document))] as [string, Node],
        ];
      });
    }),
  );
}
