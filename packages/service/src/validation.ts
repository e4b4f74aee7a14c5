import type { ProblemCode } from '@gatehouse/contracts';
import { type Checked, compileCheck } from '@gatehouse/validation';
import type { TSchema } from '@sinclair/typebox';
import type { FastifySchemaCompiler } from 'fastify';
import { invalid } from './problem.ts';

/** A route's `validatorCompiler` that answers what fails the check with a problem of the given code. */
export function validatedBy(
  check: (value: unknown) => Checked<unknown>,
  code: ProblemCode,
): FastifySchemaCompiler<unknown> {
  return () => (value: unknown) => {
    const checked = check(value);
    return checked.ok ? { value: checked.value } : { error: invalid(code, checked.violations) };
  };
}

/** For routes that bring no check of their own: Fastify's default would convert and drop values. */
export const strictValidatorCompiler: FastifySchemaCompiler<TSchema> = (route) =>
  validatedBy(compileCheck(route.schema), 'InvalidRequest')(route);
