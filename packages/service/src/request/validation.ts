import type { ProblemCode } from '@gatehouse/contracts';
import { type Checked, compileCheck } from '@gatehouse/validation';
import type { TSchema } from '@sinclair/typebox';
import type { FastifySchemaCompiler } from 'fastify';
import { invalid } from '../problems/problem-error.ts';

/** A `validatorCompiler` that checks bodies by `check` and refuses them with `code`. */
export function validatedBy(
  check: (value: unknown) => Checked<unknown>,
  code: ProblemCode,
): FastifySchemaCompiler<unknown> {
  return ({ schema, httpPart }) =>
    validator(httpPart === 'body' ? check : compileCheck(schema as TSchema), code);
}

function validator(check: (value: unknown) => Checked<unknown>, code: ProblemCode) {
  return (value: unknown) => {
    const checked = check(value);
    return checked.ok ? { value: checked.value } : { error: invalid(code, checked.violations) };
  };
}

/** For all other routes: Fastify's default would convert and drop values. */
export const strictValidatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema }) =>
  validator(compileCheck(schema), 'InvalidRequest');
