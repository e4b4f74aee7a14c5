import type { Ajv, ErrorObject } from 'ajv';
import { ajvOf } from './ajv.ts';
import type { Dialect } from './reading/dialects.ts';
import { InvalidSchema, quoteValue } from './reading/invalid-schema.ts';
import type { ReadSchema } from './reading/read.ts';
import { type Node, pointerSteps, pointerToPlace, referredSchemas } from './reading/schema-tree.ts';

/** Shared: they keep nothing of what they judge. Each stops at the first error. */
const validators = new Map<typeof Ajv, Ajv>();

/** Compiles a meta-schema once; draft-06 has that of draft-07. */
export function metaValidator(dialect: Dialect): Ajv {
  const Build = ajvOf(dialect);
  const known = validators.get(Build);
  if (known !== undefined) return known;
  const validator = new Build({ strict: false, logger: false });
  // A name that is required twice harms nobody, and a member `toString` breaks the comparison.
  validator.removeKeyword('uniqueItems').addKeyword('uniqueItems');
  validator.validateSchema({});
  validators.set(Build, validator);
  return validator;
}

/** @throws {InvalidSchema} when a schema breaks the meta-schema of its dialect. */
export function checkMetaSchema({ dialect, text }: ReadSchema): void {
  const validator = metaValidator(dialect);
  const schema: Node = JSON.parse(text);
  for (const [node, place] of [[schema, undefined] as const, ...referredSchemas(schema)]) {
    if (validator.validateSchema(node) === true) continue;
    const [error] = validator.errors ?? [];
    if (error === undefined) continue;
    const pointer = `${pointerToPlace(place)}${error.instancePath}`;
    throw new InvalidSchema(pointer, messageOf(error, node as Node));
  }
}

function messageOf({ instancePath, message, keyword, params }: ErrorObject, schema: Node): string {
  const value = quoteValue(valueAt(schema, instancePath));
  if (keyword === 'enum') return `must be one of ${params.allowedValues.join(', ')}, not ${value}`;
  if (keyword === 'type') return `must be ${[params.type].flat().join(' or ')}, not ${value}`;
  return `${message ?? 'is not valid'}; it is ${value}`;
}

function valueAt(schema: Node, pointer: string): unknown {
  return pointerSteps(pointer).reduce<unknown>((value, name) => (value as Node)[name], schema);
}
