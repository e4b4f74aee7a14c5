import type { Ajv, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { compile } from './ajv.ts';
import { isScalar } from './equality.ts';
import { type NumericWords, numericWords } from './stand-ins.ts';
import { isUnambiguous } from './unambiguous.ts';

/** Whether a body is surely valid and unambiguous; false: a thread has to find out. */
export type InlineCheck = (body: Buffer) => boolean;

/** Schema characters times body bytes: up to this, a check takes a few milliseconds. */
const MAX_PRODUCT = 4 * 1024 * 1024;
const MAX_SCHEMA_CHARS = 1_024;

/** Schemas whose names and values are the same in UTF-8 and in latin1. */
const IN_ASCII = /^(?:[^\\\x80-\uffff]|\\[^u])*$/;

/** Formats that are checked in linear time. */
const PLAIN_FORMATS: ReadonlySet<unknown> = new Set(['date', 'time', 'date-time', 'uuid', 'ipv4']);

const ALWAYS = () => true;

/**
 * Keywords that keep a check linear: each value of a body meets one subschema at most. No
 * references, alternatives, patterns or comparisons of whole values.
 */
const PLAIN_KEYWORDS: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ...(
    '$schema $comment title description default examples deprecated readOnly writeOnly ' +
    'type required minimum maximum exclusiveMinimum exclusiveMaximum ' +
    'minLength maxLength minItems maxItems minProperties maxProperties'
  )
    .split(' ')
    .map((keyword) => [keyword, ALWAYS] as const),
  ['const', isScalar],
  ['enum', (values) => Array.isArray(values) && values.every(isScalar)],
  ['format', (name) => PLAIN_FORMATS.has(name)],
  ['items', isPlainSchema],
  ['additionalProperties', isPlainSchema],
  ['prefixItems', (schemas) => Array.isArray(schemas) && schemas.every(isPlainSchema)],
  ['properties', (schemas) => Object.values(schemas as object).every(isPlainSchema)],
]);

/** A boolean schema is plain, too. Linting has seen to it that this does not recurse deeply. */
function isPlainSchema(schema: unknown): boolean {
  return Object.entries(schema as object).every(
    ([keyword, value]) => PLAIN_KEYWORDS.get(keyword)?.(value) === true,
  );
}

/**
 * A check on the calling thread, where that is safe: most schemas are small and plain, and
 * asking a thread costs more than the check. The schema was compiled in a thread before.
 */
export function inlineCheck(text: string): InlineCheck | undefined {
  if (text.length > MAX_SCHEMA_CHARS || !IN_ASCII.test(text)) return undefined;
  if (!isPlainSchema(JSON.parse(text))) return undefined;
  const validate = compileQuietly(text);
  if (validate === undefined) return undefined;
  const words = numericWords(text);
  return (body) => body.length * text.length <= MAX_PRODUCT && isValid(validate, body, words);
}

function isValid(validate: ValidateFunction, body: Buffer, words: NumericWords): boolean {
  try {
    // JSON.parse is faster when each character is a byte. Escapes could make two names equal.
    const text = body.toString(body.includes('\\u') ? 'utf8' : 'latin1');
    const value = JSON.parse(text);
    return isUnambiguous(body, value, words) && validate(value) === true;
  } catch {
    return false;
  }
}

function compileQuietly(text: string): ValidateFunction | undefined {
  try {
    return compileForBytes(text);
  } catch {
    return undefined;
  }
}

/**
 * Compiles a schema of 2020-12 for bodies whose UTF-8 was read as latin1. What it accepts is
 * valid; since it counts bytes as characters, it may refuse what a `maxLength` allows.
 */
export function compileForBytes(text: string): ValidateFunction {
  return compile(JSON.parse(text), { build: Ajv2020, allErrors: false, adapt: countBytes });
}

/** The bytes that continue a character of UTF-8, and halves of surrogate pairs. */
const NOT_COUNTED = /[\x80-\xbf\udc00-\udfff]/g;

function countBytes(ajv: Ajv): void {
  ajv.removeKeyword('minLength').removeKeyword('maxLength');
  ajv.addKeyword({
    keyword: 'minLength',
    type: 'string',
    compile: (min: number) => (text: string) =>
      text.length >= min && text.replace(NOT_COUNTED, '').length >= min,
  });
  ajv.addKeyword({
    keyword: 'maxLength',
    type: 'string',
    compile: (max: number) => (text: string) => text.length <= max,
  });
}
