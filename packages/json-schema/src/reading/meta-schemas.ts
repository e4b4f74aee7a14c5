import type { Ajv, ErrorObject } from 'ajv';
import { ajvOf } from '../ajv.ts';
import type { Dialect } from './dialects.ts';
import { InvalidSchema, quoteValue } from './invalid-schema.ts';
import { isSchema, type Node, pointerSteps, pointerTo } from './places.ts';
import type { SchemaDocument } from './read.ts';

/** Safe to share, because checking a schema does not add it to the instance. */
const validators = new Map<typeof Ajv, Ajv>();

/** Compiles the meta-schema of a dialect once; draft-06 uses that of draft-07. */
export function metaValidator(dialect: Dialect): Ajv {
  const Build = ajvOf(dialect);
  const known = validators.get(Build);
  if (known !== undefined) return known;
  const validator = new Build({ strict: false, logger: false });
  // Off, because repeated names in `required` are harmless and a member `toString` breaks the check.
  validator.removeKeyword('uniqueItems').addKeyword('uniqueItems');
  validator.validateSchema({});
  validators.set(Build, validator);
  return validator;
}

/**
 * Checks the whole schema, and each schema that only a `$ref` leads to.
 * @throws {InvalidSchema} if one of them violates the meta-schema
 */
export function checkMetaSchema({ dialect, places }: SchemaDocument): void {
  const validator = metaValidator(dialect);
  for (const place of places) {
    const { parent, value } = place;
    const isRoot = parent === undefined || (isSchema(place) && parent.role === 'other');
    if (!isRoot || validator.validateSchema(value as Node) === true) continue;
    const [error] = validator.errors ?? [];
    if (error === undefined) continue;
    const pointer = `${pointerTo(place)}${error.instancePath}`;
    throw new InvalidSchema(pointer, metaSchemaMessage(error, value as Node));
  }
}

function metaSchemaMessage(
  { instancePath, message, keyword, params }: ErrorObject,
  schema: Node,
): string {
  const steps = pointerSteps(instancePath);
  const found = steps.reduce<unknown>((value, name) => (value as Node)[name], schema);
  const value = quoteValue(found);
  if (keyword === 'enum') return `must be one of ${params.allowedValues.join(', ')}, not ${value}`;
  if (keyword === 'type') return `must be ${[params.type].flat().join(' or ')}, not ${value}`;
  return `${message ?? 'is not valid'}; it is ${value}`;
}
