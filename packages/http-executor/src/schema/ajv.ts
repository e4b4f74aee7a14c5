import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { useJsonEquality } from './equality.ts';
import { linearPattern } from './linear-pattern.ts';
import { useExactMultipleOf } from './multiple-of.ts';

const OPTIONS: Options = {
  strict: false,
  ownProperties: true,
  logger: false,
  code: { regExp: Object.assign(linearPattern, { code: 'linearPattern' }) },
};

/** Compiles a schema, judging it by the meta-schema first, into a check that finds every violation. */
export function compileSchema(text: string): ValidateFunction {
  return compile(text, { allErrors: true });
}

/** Compiles a schema that `compileSchema` has compiled before, into a check that stops at the first violation. */
export function compileAgain(text: string): ValidateFunction {
  return compile(text, { allErrors: false, meta: false, validateSchema: false });
}

/** A fresh Ajv each time: a shared one keeps every schema for ever, and a second use of an `$id` makes it throw. */
function compile(text: string, options: Options): ValidateFunction {
  const ajv = new Ajv2020({ ...OPTIONS, ...options });
  // Without its keywords, such as `formatMinimum`, which the draft does not have.
  addFormats.default(ajv, { keywords: false });
  useJsonEquality(ajv);
  useExactMultipleOf(ajv);
  return ajv.compile(JSON.parse(text));
}
