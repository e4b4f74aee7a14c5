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

/**
 * Thrown by a check that found more than it may keep: of a million items all may be
 * wrong.
 */
export class TooManyErrors extends Error {
  override readonly name = 'TooManyErrors';
}
const MAX_ERRORS = 1_000;

/** Strings are passed over: a name in a schema may read like code. */
const ADDS_ERRORS = /"(?:[^"\\]|\\.)*"|\bvErrors\.(?=push\(|concat\()/g;

/**
 * Ajv has no limit of its own: in the code that it makes, whatever adds to the errors
 * asks first.
 */
function withLimitedErrors(code: string): string {
  return code.replace(ADDS_ERRORS, (found) =>
    found.startsWith('"') ? found : 'self.limited(vErrors).',
  );
}

function limited(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  if (errors.length >= MAX_ERRORS) throw new TooManyErrors();
  return errors;
}

/** Thrown for a schema that breaks the meta-schema of its draft. */
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

/**
 * Shared, since it keeps nothing of what it judges; it stops at the first error, of which
 * there may be thousands.
 */
const metaSchema = new Ajv2020({ strict: false, logger: false });

/**
 * Compiles a schema, judging it by the meta-schema first, into a check that finds every
 * violation, or throws `TooManyErrors`.
 */
export function compileSchema(text: string): ValidateFunction {
  const schema = JSON.parse(text);
  if (metaSchema.validateSchema(schema) !== true && metaSchema.errors?.[0] !== undefined) {
    throw new InvalidSchema(metaSchema.errors[0]);
  }
  return compile(schema, true);
}

/**
 * Compiles a schema that `compileSchema` has compiled before, into a check that stops at
 * the first violation. What it finds on its way, such as in items before the one that has
 * to be right, is not limited.
 */
export function compileAgain(text: string): ValidateFunction {
  return compile(JSON.parse(text), false);
}

/**
 * The same for bodies whose UTF-8 was read as latin1: what it accepts is valid; where it
 * counts too many characters for a `maxLength`, it refuses what may be valid.
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

/**
 * A fresh Ajv each time: a shared one keeps every schema for ever, and a second use of an
 * `$id` makes it throw.
 */
function compile(
  schema: object,
  allErrors: boolean,
  adapt?: (ajv: Ajv2020) => void,
): ValidateFunction {
  const code = allErrors ? { ...OPTIONS.code, process: withLimitedErrors } : OPTIONS.code;
  const ajv = Object.assign(new Ajv2020({ ...OPTIONS, allErrors, code }), { limited });
  // Without its keywords, such as `formatMinimum`, which the draft does not have.
  addFormats.default(ajv, { keywords: false });
  useJsonEquality(ajv);
  useExactMultipleOf(ajv);
  adapt?.(ajv);
  return ajv.compile(schema);
}
