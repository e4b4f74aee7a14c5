import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import draft06 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' };
import AjvDraft04 from 'ajv-draft-04';
import { FORMATS } from './formats.ts';
import { replaceKeywords } from './keywords.ts';
import { compilePattern } from './pattern.ts';
import { type Dialect, isSince } from './reading/dialects.ts';
import { replaceUnevaluated } from './unevaluated.ts';

export interface TranslatedSchema {
  readonly dialect: Dialect;
  /** JSON text of the schema, without `$schema`. */
  readonly text: string;
}

export function ajvOf(dialect: Dialect): typeof Ajv {
  if (isSince(dialect, '2020-12')) return Ajv2020;
  if (isSince(dialect, '2019-09')) return Ajv2019;
  return dialect === 'draft-04' ? AjvDraft04.default : Ajv;
}

/** Keywords that Ajv would evaluate although the schema's draft does not define them. */
const LATER_KEYWORDS: Partial<Record<Dialect, readonly string[]>> = {
  'draft-04': ['const', 'contains', 'propertyNames', 'if', 'then', 'else'],
  'draft-06': ['if', 'then', 'else'],
};

const OPTIONS = {
  formats: FORMATS,
  strict: false,
  ownProperties: true,
  logger: false,
  // Add `parentSchema` to each error, so that messages can list the known properties.
  verbose: true,
  validateSchema: false,
  code: { regExp: Object.assign(compilePattern, { code: 'compilePattern' }) },
} satisfies Options;

/** Matches a `$ref` to the meta-schema of a JSON Schema draft. */
const META_SCHEMA = /"\$ref":"https?:\/\/json-schema\.org\//;
/** Matches the `$id` of a meta-schema that the caller has copied into the schema. */
const OWN_META_SCHEMA = /"\$?id":"https?:\/\/json-schema\.org\//;

/** Compiles a schema with a new Ajv, because a shared Ajv would keep all schemas in memory. */
export function compileWithAjv(schema: TranslatedSchema, allErrors: boolean): ValidateFunction {
  const { dialect, text } = schema;
  const Build = ajvOf(dialect);
  const meta = META_SCHEMA.test(text) && !OWN_META_SCHEMA.test(text);
  const ignoreKeywordsWithRef = !isSince(dialect, '2019-09');
  const ajv = new Build({ ...OPTIONS, ignoreKeywordsWithRef, allErrors, meta });
  if (meta && dialect === 'draft-06') ajv.addMetaSchema(draft06);
  replaceKeywords(ajv, dialect);
  if (isSince(dialect, '2019-09')) replaceUnevaluated(ajv, dialect);
  for (const keyword of LATER_KEYWORDS[dialect] ?? []) ajv.removeKeyword(keyword);
  return ajv.compile(JSON.parse(text));
}
