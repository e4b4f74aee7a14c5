import { closestMatch } from 'leven';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Keywords whose value is a schema, or a list of schemas. */
const SCHEMAS = words(
  'additionalItems additionalProperties allOf anyOf contains contentSchema else if items not ' +
    'oneOf prefixItems propertyNames then unevaluatedItems unevaluatedProperties',
);

/** Keywords whose value maps names to schemas. */
export const NAMED_SCHEMAS = words(
  '$defs definitions dependencies dependentSchemas patternProperties properties',
);

/** Keywords whose value can look like a schema, but is data. */
export const DATA = words(
  'const default dependentRequired discriminator enum example examples externalDocs xml',
);

/** Keywords that Ajv applies in a loop, to several members or items. */
export const LOOPS = words(
  'additionalItems additionalProperties contains items patternProperties propertyNames ' +
    'unevaluatedItems unevaluatedProperties',
);

const ASSERTIONS = words(
  '$dynamicRef $recursiveRef $ref const dependentRequired enum exclusiveMaximum ' +
    'exclusiveMinimum format maxContains maxItems maxLength maxProperties maximum minContains ' +
    'minItems minLength minProperties minimum multipleOf nullable pattern required type ' +
    'uniqueItems',
);

const ANNOTATIONS = words(
  '$anchor $comment $dynamicAnchor $id $recursiveAnchor $schema $vocabulary contentEncoding ' +
    'contentMediaType default deprecated description discriminator example examples ' +
    'externalDocs id readOnly title writeOnly xml',
);

/** True for a keyword whose value contains schemas. */
export const isKnown = (keyword: string): boolean =>
  SCHEMAS.has(keyword) || NAMED_SCHEMAS.has(keyword);

const WITH_EFFECT = [...ASSERTIONS, ...SCHEMAS, ...NAMED_SCHEMAS];

/** Keywords whose value is only used where a `$ref` refers to it. */
export const DEFINITIONS = words('$defs definitions');

/** True for a keyword that can refuse a value by itself. */
export const canRefuse = (keyword: string): boolean =>
  WITH_EFFECT.includes(keyword) && !DEFINITIONS.has(keyword);

/**
 * Says what is wrong with an object that has no keyword with an effect, so that it accepts every
 * body. An object with nothing but annotations is a schema that accepts everything on purpose.
 */
export function reasonForNoSchema(schema: object): string | undefined {
  const names = Object.keys(schema);
  const isUnknown = (name: string) => !(ANNOTATIONS.has(name) || name.startsWith('x-'));
  const [unknown] = names.filter(isUnknown);
  if (unknown === undefined || names.some((name) => WITH_EFFECT.includes(name))) return undefined;
  const none = 'has no keyword of JSON Schema, so it would accept every body';
  if (typeof (schema as { schema?: unknown }).schema === 'object')
    return `${none}; send the value of its member \`schema\` instead`;
  const meant = names.filter(isUnknown).flatMap((name) => misspeltKeyword(name) ?? []);
  return meant.length > 0 ? `${none}; ${meant[0]}` : `${none}; \`${unknown.slice(0, 40)}\` is none`;
}

/** Two neighbouring characters in the wrong order count as two errors. */
const MAX_ERRORS = 2;
/** Most shorter names differ from some keyword, such as `if`, by that many errors. */
const MIN_LENGTH = 4;

function misspeltKeyword(name: string): string | undefined {
  if (name.length < MIN_LENGTH) return undefined;
  const meant = closestMatch(name.toLowerCase(), WITH_EFFECT, { maxDistance: MAX_ERRORS });
  return meant === undefined ? undefined : `write \`${meant}\` instead of \`${name}\``;
}
