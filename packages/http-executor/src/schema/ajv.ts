import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { useJsonEquality } from './equality.ts';
import { FORMATS } from './formats.ts';
import { useExactMultipleOf } from './multiple-of.ts';
import { compilePattern } from './pattern.ts';
import { type Dialect, isSince } from './reading/dialects.ts';

/** The class for a dialect; what precedes 2019-09 is read as draft-07. */
export function ajvOf(dialect: Dialect): typeof Ajv {
  if (isSince(dialect, '2020-12')) return Ajv2020;
  return isSince(dialect, '2019-09') ? Ajv2019 : Ajv;
}

const OPTIONS = {
  formats: FORMATS,
  strict: false,
  ownProperties: true,
  logger: false,
  // Errors carry the schema that they break.
  verbose: true,
  meta: false,
  validateSchema: false,
  code: { regExp: Object.assign(compilePattern, { code: 'compilePattern' }) },
} satisfies Options;

/** A check found more errors than it may keep: all of a million items may be wrong. */
export class TooManyErrors extends Error {}
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

interface CompileOptions {
  /** The class for the draft. */
  readonly build: typeof Ajv;
  readonly allErrors: boolean;
  readonly adapt?: (ajv: Ajv) => void;
}

/**
 * Compiles a schema; with all errors, the check throws `TooManyErrors`. A fresh Ajv each
 * time: a shared one keeps every schema, and throws on a repeated `$id`.
 */
export function compile(
  schema: object,
  { build: Build, allErrors, adapt }: CompileOptions,
): ValidateFunction {
  const code = allErrors ? { ...OPTIONS.code, process: withLimitedErrors } : OPTIONS.code;
  const ajv = Object.assign(new Build({ ...OPTIONS, allErrors, code }), { limited });
  useJsonEquality(ajv);
  useExactMultipleOf(ajv);
  adapt?.(ajv);
  return ajv.compile(schema);
}
