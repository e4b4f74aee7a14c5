import { compileForBytes } from './ajv.ts';

/**
 * Whether a body is surely valid; false when it is not, or when that has to be found out
 * elsewhere.
 */
export type InlineCheck = (body: Buffer) => boolean;

/**
 * Characters of the schema times bytes of the body. Below this a plain schema takes a few
 * milliseconds at worst; what exceeds it goes to a worker.
 */
const MAX_PRODUCT = 4 * 1024 * 1024;
const MAX_SCHEMA_CHARS = 1_024;

/** Its names and values are the same whether a body is read as UTF-8 or as latin1. */
const IN_ASCII = /^(?:[^\\\x80-\uffff]|\\[^u])*$/;

/** Formats that are judged in time linear in the string. */
const PLAIN_FORMATS: ReadonlySet<unknown> = new Set(['date', 'time', 'date-time', 'uuid', 'ipv4']);

const ALWAYS = () => true;
const isPlainSchema = (value: unknown): boolean => typeof value === 'boolean' || isPlain(value);
const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;

/**
 * Keywords with which every value of a body meets one subschema at most, and each of
 * those takes time linear in its own size: no references, alternatives, patterns or
 * comparisons of whole values.
 */
const PLAIN_KEYWORDS: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ...[
    '$schema',
    '$comment',
    'title',
    'description',
    'default',
    'examples',
    'deprecated',
    'readOnly',
    'writeOnly',
  ].map((keyword) => [keyword, ALWAYS] as const),
  ...['type', 'required', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map(
    (keyword) => [keyword, ALWAYS] as const,
  ),
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'].map(
    (keyword) => [keyword, ALWAYS] as const,
  ),
  ['const', isScalar],
  ['enum', (values) => Array.isArray(values) && values.every(isScalar)],
  ['format', (name) => PLAIN_FORMATS.has(name)],
  ['items', isPlainSchema],
  ['additionalProperties', isPlainSchema],
  ['prefixItems', (schemas) => Array.isArray(schemas) && schemas.every(isPlainSchema)],
  ['properties', (schemas) => Object.values(schemas as object).every(isPlainSchema)],
]);

/**
 * Whether a schema that has been linted, and so is not nested deeply, has plain keywords
 * only.
 */
function isPlain(schema: unknown): boolean {
  return Object.entries(schema as object).every(
    ([keyword, value]) => PLAIN_KEYWORDS.get(keyword)?.(value) === true,
  );
}

/**
 * A check on the calling thread for a schema that has been compiled in a worker, or
 * undefined when that would be a risk: most schemas are small and plain, and a message to
 * a thread costs more than holding a body against them.
 */
export function inlineCheck(
  schema: Readonly<Record<string, unknown>>,
  text: string,
): InlineCheck | undefined {
  if (text.length > MAX_SCHEMA_CHARS || !IN_ASCII.test(text) || !isPlain(schema)) return undefined;
  const validate = compileQuietly(text);
  if (validate === undefined) return undefined;
  return (body) => body.length * text.length <= MAX_PRODUCT && isValid(validate, body);
}

function isValid(validate: (value: unknown) => unknown, body: Buffer): boolean {
  try {
    // JSON.parse is faster when each character is a byte. Escapes could make two names equal.
    const text = body.toString(body.includes('\\u') ? 'utf8' : 'latin1');
    return validate(JSON.parse(text)) === true;
  } catch {
    return false;
  }
}

/** What cannot be compiled here stays with the workers. */
function compileQuietly(text: string) {
  try {
    return compileForBytes(text);
  } catch {
    return undefined;
  }
}
