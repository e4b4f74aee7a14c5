import type { ProblemCode } from '@gatehouse/contracts';
import { type Checked, compileCheck } from '@gatehouse/validation';
import type { TSchema } from '@sinclair/typebox';
import type { FastifySchemaCompiler } from 'fastify';
import { invalid } from '../problems/problem.ts';

/**
 * A route's `validatorCompiler` that holds bodies to the check, and answers what fails it
 * with the given code.
 */
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

/**
 * For routes that bring no check of their own: Fastify's default would convert and drop
 * values.
 */
export const strictValidatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema }) =>
  validator(compileCheck(schema), 'InvalidRequest');
