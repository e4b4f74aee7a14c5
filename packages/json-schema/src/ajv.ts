import { Ajv, MissingRefError, type Options, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import draft06 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' };
import AjvDraft04 from 'ajv-draft-04';
import { useJsonEquality } from './equality.ts';
import { FORMATS } from './formats.ts';
import { useExactMultipleOf } from './multiple-of.ts';
import { compilePattern } from './pattern.ts';
import { type Dialect, isSince } from './reading/dialects.ts';
import { InvalidSchema, quoteValue } from './reading/invalid-schema.ts';
import type { ReadSchema } from './reading/read.ts';
import {
  isSchema,
  type Node,
  pointerToPlace,
  referredSchemas,
  walkSchema,
} from './reading/schema-tree.ts';

/** The class for a dialect; draft-06 is read as draft-07. */
export function ajvOf(dialect: Dialect): typeof Ajv {
  if (isSince(dialect, '2020-12')) return Ajv2020;
  if (isSince(dialect, '2019-09')) return Ajv2019;
  return dialect === 'draft-04' ? AjvDraft04.default : Ajv;
}

const OPTIONS = {
  formats: FORMATS,
  strict: false,
  ownProperties: true,
  logger: false,
  // Errors carry the schema that they break.
  verbose: true,
  validateSchema: false,
  code: { regExp: Object.assign(compilePattern, { code: 'compilePattern' }) },
} satisfies Options;

/** A schema may refer to the meta-schema of its draft, or embed it. */
const META_SCHEMA = /"\$ref":"https?:\/\/json-schema\.org\//;
const OWN_META_SCHEMA = /"\$?id":"https?:\/\/json-schema\.org\//;

/**
 * Compiles a schema by a fresh Ajv, because a shared one keeps every schema.
 * @throws {InvalidSchema} when Ajv cannot compile the schema.
 */
export function compile({ dialect, text }: ReadSchema, allErrors: boolean): ValidateFunction {
  const Build = ajvOf(dialect);
  const meta = META_SCHEMA.test(text) && !OWN_META_SCHEMA.test(text);
  const ajv = new Build({ ...OPTIONS, allErrors, meta });
  if (meta && dialect === 'draft-06') ajv.addMetaSchema(draft06);
  useJsonEquality(ajv);
  useExactMultipleOf(ajv);
  const schema: Node = JSON.parse(text);
  try {
    return ajv.compile(schema);
  } catch (error) {
    throw error instanceof MissingRefError ? missingRef(schema, error) : error;
  }
}

function missingRef(schema: Node, { missingRef }: MissingRefError): InvalidSchema {
  for (const place of walkSchema(schema, referredSchemas(schema))) {
    const { $ref } = place.value as Node;
    if (!isSchema(place) || typeof $ref !== 'string' || !missingRef.endsWith($ref)) continue;
    const message = `refers to ${quoteValue($ref)}, which is not in this schema, and nothing is fetched; put that schema under \`$defs\`, with its \`$id\` if it has one`;
    return new InvalidSchema(pointerToPlace(place, '$ref'), message);
  }
  return new InvalidSchema('', `it refers to ${quoteValue(missingRef)}, which is not in it`);
}
