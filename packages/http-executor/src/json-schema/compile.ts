import { failure, type Result, success, type Violation } from '@gatehouse/contracts';
import type { Ajv, ErrorObject, Options, ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { ajvFor, type Draft, draftOf, isBefore2019, KNOWN_URIS } from './dialects.ts';
import { FORMATS } from './formats.ts';
import { canRefuse } from './keywords.ts';
import { compilePattern } from './patterns.ts';
import { isObject, type Node, type Place, placesIn } from './places.ts';
import { refusalOf } from './refusals.ts';
import { withPlainNot } from './violations.ts';

/** Limits on a caller's schema. The calling code also limits the size of its text. */
export const SCHEMA_LIMITS = { maxDepth: 64, maxNodes: 30_000 } as const;
const { maxDepth, maxNodes } = SCHEMA_LIMITS;

/** Checks a parsed body, and leaves a list of all errors in `errors`. */
export type CompiledSchema = ValidateFunction;

/** Compiles the text of a schema, or says at which place it cannot be used. */
export function compileSchema(text: string): Result<CompiledSchema, Violation> {
  const schema: unknown = JSON.parse(text);
  const refuse = (message: string, pointer = '') => failure({ pointer, message });
  if (!isObject(schema) || Array.isArray(schema)) return refuse('must be an object');

  if (!isWithinLimits(schema))
    return refuse(
      `must have at most ${maxNodes} objects and arrays, in at most ${maxDepth} levels`,
    );

  const draft = draftOf((schema as Node).$schema);
  if (draft === undefined) return refuse(`must be left out or be one of ${KNOWN_URIS}`, '/$schema');

  const places = placesIn(schema as Node);
  const refusal = refusalOf(places, draft) ?? metaSchemaViolation(places, draft);
  if (refusal !== undefined) return failure(refusal);

  for (const place of places) allowNull(place.schema);
  try {
    const { $schema, ...parts } = schema as Node;
    return success(newAjv(draft, parts).compile(parts));
  } catch (error) {
    return failure(compileViolation(error as Error, places));
  }
}

/**
 * Writes OpenAPI's `nullable` without a `type` as an `anyOf`, because Ajv throws an error when it
 * meets one. Many published OpenAPI documents have it beside `$ref`, `allOf` and `oneOf`.
 */
function allowNull(schema: Record<string, unknown>): void {
  const { nullable, type } = schema;
  if (nullable === undefined || type !== undefined) return;
  delete schema.nullable;
  if (nullable !== true) return;
  const checked = Object.entries(schema).filter(([name]) => canRefuse(name));
  for (const [name] of checked) delete schema[name];
  schema.anyOf = [{ type: 'null' }, Object.fromEntries(checked)];
}

function isWithinLimits(schema: object): boolean {
  let level: object[] = [schema];
  let nodes = 0;
  for (let depth = 1; level.length > 0; depth++) {
    nodes += level.length;
    if (depth > maxDepth || nodes > maxNodes) return false;
    level = level.flatMap((node) => Object.values(node).filter(isObject));
  }
  return true;
}

const OPTIONS = {
  strict: false,
  logger: false,
  validateSchema: false,
  allErrors: true,
  // Add `parentSchema` to each error, so that messages can list the known properties.
  verbose: true,
  // Ignore members that every JavaScript object inherits, such as `constructor`.
  ownProperties: true,
  // Compile each target of a `$ref` to its own function, because Ajv makes mistakes in loops.
  inlineRefs: false,
  // Accept 19.99 as a multiple of 0.01, although the division gives 1998.9999999999998.
  multipleOfPrecision: 6,
  code: { regExp: Object.assign(compilePattern, { code: 'compilePattern' }) },
} satisfies Options;

/** Creates a new Ajv for each schema, because a shared Ajv would keep all schemas in memory. */
function newAjv(draft: Draft, schema: Node): Ajv {
  const text = JSON.stringify(schema);
  const meta = META_SCHEMA.test(text) && !OWN_META_SCHEMA.test(text);
  const ajv = new (ajvFor(draft))({ ...OPTIONS, meta, ignoreKeywordsWithRef: isBefore2019(draft) });
  addFormats.default(ajv);
  for (const [name, format] of Object.entries(FORMATS)) ajv.addFormat(name, format);
  // `id` is a keyword in draft-04 only, and Ajv throws an error when it meets one.
  return ajv.removeKeyword('id');
}

/** Matches a `$ref` to the meta-schema of a draft, which Ajv adds only if `meta` is true. */
const META_SCHEMA = /"\$ref":"https?:\/\/json-schema\.org\//;
/** Matches the `$id` of a meta-schema that the caller has copied into the schema. */
const OWN_META_SCHEMA = /"\$id":"https?:\/\/json-schema\.org\//;

/** Meta-schemas by Ajv's class. They never hold a caller's schema. */
const META_SCHEMAS = new Map<typeof Ajv, Ajv>();

/** Finds the first mistake by the meta-schema, which does not look into unknown keywords. */
function metaSchemaViolation(places: readonly Place[], draft: Draft): Violation | undefined {
  const ajvClass = ajvFor(draft);
  const ajv = META_SCHEMAS.get(ajvClass) ?? new ajvClass({ strict: false, logger: false });
  META_SCHEMAS.set(ajvClass, ajv);
  const references = new Set(places.map(({ schema }) => schema.$ref));
  for (const { schema, pointer, isUnknown } of places) {
    if (pointer !== '' && !(isUnknown && references.has(`#${pointer}`))) continue;

    const { $schema, ...parts } = schema;
    if (ajv.validateSchema(parts) === true) continue;

    const [error] = ajv.errors ?? [];
    if (error) return { pointer: pointer + error.instancePath, message: metaSchemaMessage(error) };
  }
  return undefined;
}

function metaSchemaMessage({ keyword, params, message }: ErrorObject): string {
  if (keyword === 'enum') return `must be one of ${params.allowedValues.join(', ')}`;
  if (keyword === 'type') return `must be ${[params.type].flat().join(' or ')}`;
  return withPlainNot(message ?? 'is not valid');
}

/** Says which `$ref` leads nowhere, or else what Ajv says. */
function compileViolation({ name, message }: Error, places: readonly Place[]): Violation {
  if (name === 'RangeError') return { pointer: '', message: 'is too complex to be compiled' };
  const [, missing] = /^can't resolve reference (.*) from id /s.exec(message) ?? [];
  const place = places.find(({ schema }) => missing !== undefined && schema.$ref === missing);
  if (place === undefined) return { pointer: '', message: `cannot be compiled: ${message}` };
  return {
    pointer: `${place.pointer}/$ref`,
    message:
      'refers to a schema outside of this one; nothing is ever fetched, so add it under `$defs`',
  };
}
