import { type Dialect, isSince } from './dialects.ts';

/** What the value of a keyword holds: schemas, data in which nothing is a keyword, or neither. */
type Holds = 'schema' | 'named schemas' | 'data' | 'plain';

interface Keyword {
  readonly holds: Holds;
  /** JSON types that its value may have. */
  readonly types: string;
  readonly since: Dialect;
  readonly until: Dialect;
}

const SCHEMA = 'object boolean';
const NUMBER = 'number';

type Row = readonly [names: string, types: string, holds?: Holds, since?: Dialect, until?: Dialect];

/** Every keyword that decides about a body, or leads to one that does. */
const ROWS: readonly Row[] = [
  ['id', 'string', 'plain', 'draft-04', 'draft-04'],
  ['$id', 'string', 'plain', 'draft-06'],
  ['$ref pattern format', 'string'],
  ['type', 'string array'],
  ['enum', 'array', 'data'],
  ['const', 'object array string number boolean null', 'data', 'draft-06'],
  ['multipleOf minimum maximum minLength maxLength minItems maxItems', NUMBER],
  ['minProperties maxProperties', NUMBER],
  ['exclusiveMinimum exclusiveMaximum', 'number boolean'],
  ['uniqueItems', 'boolean'],
  ['required', 'array'],
  ['properties patternProperties', 'object', 'named schemas'],
  ['additionalProperties not', SCHEMA, 'schema'],
  ['items', `${SCHEMA} array`, 'schema'],
  ['additionalItems', SCHEMA, 'schema', 'draft-04', '2019-09'],
  ['allOf anyOf oneOf', 'array', 'schema'],
  ['definitions dependencies', 'object', 'named schemas'],
  ['contains propertyNames', SCHEMA, 'schema', 'draft-06'],
  ['if then else', SCHEMA, 'schema', 'draft-07'],
  ['$defs', 'object', 'named schemas'],
  ['dependentSchemas', 'object', 'named schemas', '2019-09'],
  ['dependentRequired', 'object', 'data', '2019-09'],
  ['$anchor', 'string', 'plain', '2019-09'],
  ['minContains maxContains', NUMBER, 'plain', '2019-09'],
  ['unevaluatedItems unevaluatedProperties contentSchema', SCHEMA, 'schema', '2019-09'],
  ['$recursiveRef', 'string', 'plain', '2019-09', '2019-09'],
  ['$recursiveAnchor', 'boolean', 'plain', '2019-09', '2019-09'],
  ['$dynamicRef $dynamicAnchor', 'string', 'plain', '2020-12'],
  ['prefixItems', 'array', 'schema', '2020-12'],
];

export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map(
  ROWS.flatMap(([names, types, holds = 'plain', since = 'draft-04', until = 'openapi']) =>
    names.split(' ').map((name) => [name, { holds, types, since, until }] as const),
  ),
);

/** Annotations that hold data, in which nothing is a keyword. */
export const DATA_ANNOTATIONS: ReadonlySet<string> = new Set([
  ...['default', 'example', 'examples', 'externalDocs', 'xml', 'discriminator'],
]);

export function dialectKnows(dialect: Dialect, { since, until }: Keyword): boolean {
  return isSince(dialect, since) && (until === 'openapi' || isSince(until, dialect));
}

/** The JSON type of a value. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
