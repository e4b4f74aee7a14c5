import { MAX_VIOLATIONS, type Violation } from '@gatehouse/contracts';
import type { Static, TSchema } from '@sinclair/typebox';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describeViolation } from './ajv-violation.ts';

export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly violations: Violation[] };

/** A predicate for each `format` that the schema names. */
export type Formats = Readonly<Record<string, (text: string) => boolean>>;

/** Types and strict mode find what its meta-schema would, which takes long to compile. */
const TYPED = { allowUnionTypes: true, meta: false, validateSchema: false };

/**
 * Compiles one of our own schemas (never a caller's) into a check, which converts and drops
 * nothing and lists at most `most` violations.
 * @throws Error for a keyword or format that it does not know.
 */
export function compileValidator<T extends TSchema>(
  schema: T,
  formats: Formats = {},
  most = MAX_VIOLATIONS,
): (value: unknown) => Checked<Static<T>> {
  const reporting = { allErrors: true, verbose: true };
  const ajv = new Ajv2020({ ...reporting, ...TYPED, formats: { ...formats } });
  ajv.addVocabulary(['x-violation', 'x-unknown-member', 'x-shown']);
  const validate = ajv.compile<Static<T>>(schema);
  return (value) => {
    if (validate(value)) return { ok: true, value };
    const errors = (validate.errors ?? []).slice(0, most);
    return { ok: false, violations: errors.map(describeViolation) };
  };
}
