import type { Node } from './reading/schema-tree.ts';

const URI = 'http://json-schema.org/draft-04/schema#';
const schema = { $ref: '#' };
const schemas = { $ref: '#/definitions/schemaArray' };
const count = { $ref: '#/definitions/positiveInteger' };
const names = { $ref: '#/definitions/stringArray' };
const type = { $ref: '#/definitions/simpleTypes' };
const [text, number, flag] = [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }];
const schemasByName = { type: 'object', additionalProperties: schema };
const flagOrSchema = { anyOf: [flag, schema] };
const unique = { type: 'array', minItems: 1, uniqueItems: true };

/** The meta-schema of draft-04, which Ajv does not have, in the words of later drafts. */
export const DRAFT_04: Node = {
  $id: URI,
  $schema: URI,
  definitions: {
    schemaArray: { type: 'array', minItems: 1, items: schema },
    positiveInteger: { type: 'integer', minimum: 0 },
    positiveIntegerDefault0: { allOf: [count, {}] },
    simpleTypes: { enum: 'array boolean integer null number object string'.split(' ') },
    stringArray: { ...unique, items: text },
  },
  type: 'object',
  properties: {
    ...{ id: text, $schema: text, title: text, description: text, default: {} },
    ...{ multipleOf: { type: 'number', exclusiveMinimum: 0 }, minimum: number, maximum: number },
    ...{ exclusiveMinimum: flag, exclusiveMaximum: flag, pattern: { ...text, format: 'regex' } },
    ...{ minLength: count, maxLength: count, minItems: count, maxItems: count },
    ...{ minProperties: count, maxProperties: count, uniqueItems: flag, required: names },
    ...{ additionalItems: flagOrSchema, items: { anyOf: [schema, schemas] } },
    ...{ additionalProperties: flagOrSchema, properties: schemasByName },
    ...{ patternProperties: schemasByName, definitions: schemasByName, enum: unique },
    dependencies: { type: 'object', additionalProperties: { anyOf: [schema, names] } },
    type: { anyOf: [type, { ...unique, items: type }] },
    ...{ format: text, allOf: schemas, anyOf: schemas, oneOf: schemas, not: schema },
  },
  dependencies: { exclusiveMaximum: ['maximum'], exclusiveMinimum: ['minimum'] },
};
