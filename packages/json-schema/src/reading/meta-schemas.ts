import type { Ajv, ErrorObject } from 'ajv';
import { ajvOf } from '../ajv.ts';
import { withPlainNot } from '../violations.ts';
import type { Dialect } from './dialects.ts';
import { InvalidSchema, quoteValue } from './invalid-schema.ts';
import { isSchema, type Node, pointerSteps, pointerTo } from './places.ts';
import type { SchemaDocument } from './read.ts';

/** Ajv instances, one per draft, which cache meta-schemas but never a caller's schema. */
const validators = new Map<Dialect, Ajv>();

/** Compiles and caches a draft's meta-schema. For draft-06, we use the draft-07 meta-schema. */
export function compileMetaSchema(dialect: Dialect): Ajv {
  const known = validators.get(dialect);
  if (known !== undefined) return known;
  const validator = new (ajvOf(dialect))({ strict: false, logger: false, validateSchema: false });
  for (const [uri, meta] of Object.entries(validator.schemas))
    validator.removeSchema(uri).addMetaSchema(lenient(meta?.schema as Node, dialect), uri);
  // Ignore `uniqueItems`, because Ajv throws when it compares `enum` values such as
  // `{"toString": 1}`. Repeated values in a schema are harmless.
  validator.removeKeyword('uniqueItems').addKeyword('uniqueItems');
  validator.validateSchema({});
  validators.set(dialect, validator);
  return validator;
}

const BOUND = { type: ['number', 'boolean'] };

/** Makes a meta-schema accept any `examples` and, for OpenAPI, a boolean `exclusiveMinimum`. */
function lenient(meta: Node, dialect: Dialect): Node {
  const bounds = dialect === 'openapi' ? { exclusiveMinimum: BOUND, exclusiveMaximum: BOUND } : {};
  return { ...meta, properties: { ...(meta.properties as Node), ...bounds, examples: {} } };
}

/**
 * Checks a schema against the meta-schema. The meta-schema ignores unknown keywords, so a `$ref`
 * target within the value of an unknown keyword is checked separately. @throws {InvalidSchema}
 */
export function checkMetaSchema({ places }: SchemaDocument, validator: Ajv): void {
  for (const place of places.values()) {
    const { parent, value } = place;
    const isIgnored = parent?.role === 'other' && isSchema(place);
    // Leave out `$schema`, because Ajv would search for the meta-schema that `$schema` names.
    const { $schema, ...schema } = value as Node;
    if (parent !== undefined && !isIgnored) continue;
    if (validator.validateSchema(schema) === true) continue;
    const [error] = validator.errors ?? [];
    if (error === undefined) continue;
    const pointer = `${pointerTo(place)}${error.instancePath}`;
    throw new InvalidSchema(pointer, metaSchemaMessage(error, value as Node));
  }
}

function metaSchemaMessage(error: ErrorObject, schema: Node): string {
  const { instancePath, message, keyword, params } = error;
  const steps = pointerSteps(instancePath);
  const found = steps.reduce<unknown>((value, name) => (value as Node)[name], schema);
  const value = quoteValue(found);
  if (keyword === 'enum') return `must be one of ${params.allowedValues.join(', ')}, not ${value}`;
  if (keyword === 'type') return `must be ${[params.type].flat().join(' or ')}, not ${value}`;
  return `${withPlainNot(message) ?? 'is not valid'}; it is ${value}`;
}
