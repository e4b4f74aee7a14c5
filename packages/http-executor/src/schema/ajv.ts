import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { useJsonEquality } from './equality.ts';
import { linearPattern } from './linear-pattern.ts';
import { useExactMultipleOf } from './multiple-of.ts';

const OPTIONS: Options = {
  strict: false,
  ownProperties: true,
  logger: false,
  meta: false,
  validateSchema: false,
  code: { regExp: Object.assign(linearPattern, { code: 'linearPattern' }) },
};

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

/** Shared, since it keeps nothing of what it judges; it stops at the first error, of which there may be thousands. */
const metaSchema = new Ajv2020({ strict: false, logger: false });

/** Compiles a schema, judging it by the meta-schema first, into a check that finds every violation. */
export function compileSchema(text: string): ValidateFunction {
  const schema = JSON.parse(text);
  if (metaSchema.validateSchema(schema) !== true && metaSchema.errors?.[0] !== undefined) {
    throw new InvalidSchema(metaSchema.errors[0]);
  }
  return compile(schema, true);
}

/** Compiles a schema that `compileSchema` has compiled before, into a check that stops at the first violation. */
export function compileAgain(text: string): ValidateFunction {
  return compile(JSON.parse(text), false);
}

/** A fresh Ajv each time: a shared one keeps every schema for ever, and a second use of an `$id` makes it throw. */
function compile(schema: object, allErrors: boolean): ValidateFunction {
  const ajv = new Ajv2020({ ...OPTIONS, allErrors });
  // Without its keywords, such as `formatMinimum`, which the draft does not have.
  addFormats.default(ajv, { keywords: false });
  useJsonEquality(ajv);
  useExactMultipleOf(ajv);
  return ajv.compile(schema);
}
