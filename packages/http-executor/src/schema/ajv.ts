import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { useJsonEquality } from './equality.ts';
import { linearPattern } from './linear-pattern.ts';
import { useExactMultipleOf } from './multiple-of.ts';

const OPTIONS = {
  strict: false,
  ownProperties: true,
  logger: false,
  meta: false,
  validateSchema: false,
  code: { regExp: Object.assign(linearPattern, { code: 'linearPattern' }) },
} satisfies Options;

/** A check found more errors than it may keep: all of a million items may be wrong. */
export class TooManyErrors extends Error {
  override readonly name = 'TooManyErrors';
}
const MAX_ERRORS = 1_000;

/** Strings are matched first: a name in a schema may look like code. */
const ADDS_ERRORS = /"(?:[^"\\]|\\.)*"|\bvErrors\.(?=push\(|concat\()/g;

/** Ajv has no limit of errors: its generated code is changed to ask before it adds one. */
function withLimitedErrors(code: string): string {
  return code.replace(ADDS_ERRORS, (found) =>
    found.startsWith('"') ? found : 'self.limited(vErrors).',
  );
}

function limited(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  if (errors.length >= MAX_ERRORS) throw new TooManyErrors();
  return errors;
}

/** A schema breaks the meta-schema. */
export class InvalidSchema extends Error {
  override readonly name = 'InvalidSchema';
  /** JSON Pointer into the schema. */
  readonly pointer: string;

  constructor({ instancePath, message = 'is not valid', keyword, params }: ErrorObject) {
    const allowed = keyword === 'enum' ? `: ${params.allowedValues.join(', ')}` : '';
    super(`${message}${allowed}`);
    this.pointer = instancePath;
  }
}

/** Shared: it keeps nothing of what it judges. Stops at the first error. */
const metaSchema = new Ajv2020({ strict: false, logger: false });

/**
 * Compiles a schema into a check that finds every violation, or throws `TooManyErrors`.
 * @throws {InvalidSchema} when the schema breaks the meta-schema.
 */
export function compileSchema(text: string): ValidateFunction {
  const schema = JSON.parse(text);
  if (metaSchema.validateSchema(schema) !== true && metaSchema.errors?.[0] !== undefined) {
    throw new InvalidSchema(metaSchema.errors[0]);
  }
  return compile(schema, true);
}

/** The same for a schema that was compiled before, into a check that stops at the first. */
export function compileAgain(text: string): ValidateFunction {
  return compile(JSON.parse(text), false);
}

/**
 * The same for bodies whose UTF-8 was read as latin1. What it accepts is valid; since it
 * counts bytes as characters, it may refuse what a `maxLength` allows.
 */
export function compileForBytes(text: string): ValidateFunction {
  return compile(JSON.parse(text), false, countBytes);
}

/** The bytes that continue a character of UTF-8, and halves of surrogate pairs. */
const NOT_COUNTED = /[\x80-\xbf\udc00-\udfff]/g;

function countBytes(ajv: Ajv2020): void {
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

/** A fresh Ajv each time: a shared one keeps every schema, and throws on a repeated `$id`. */
function compile(
  schema: object,
  allErrors: boolean,
  adapt?: (ajv: Ajv2020) => void,
): ValidateFunction {
  const code = allErrors ? { ...OPTIONS.code, process: withLimitedErrors } : OPTIONS.code;
  const ajv = Object.assign(new Ajv2020({ ...OPTIONS, allErrors, code }), { limited });
  // Keywords such as `formatMinimum` are not part of the draft.
  addFormats.default(ajv, { keywords: false });
  useJsonEquality(ajv);
  useExactMultipleOf(ajv);
  adapt?.(ajv);
  return ajv.compile(schema);
}
