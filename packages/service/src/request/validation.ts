import type { ProblemCode, Violation } from '@gatehouse/contracts';
import { type Checked, compileValidator } from '@gatehouse/validation';
import type { TSchema } from '@sinclair/typebox';
import type { FastifySchemaCompiler } from 'fastify';
import { invalidReply, ProblemReply } from '../problems/problem-reply.ts';

type Check = (value: unknown) => Checked<unknown>;

/** Returns a `validatorCompiler` that checks bodies with `check` and refuses with `code`. */
export function validatedBy(check: Check, code: ProblemCode): FastifySchemaCompiler<unknown> {
  return ({ schema, httpPart }) => {
    // Path parameters only select a page, so an unknown value is a 404 rather than a 400.
    if (httpPart === 'params') return () => true;
    return httpPart === 'querystring'
      ? queryValidator(schema as TSchema, code)
      : validator(check, (violations) => invalidReply(code, violations));
  };
}

/** Replaces Fastify's default, which converts and drops values. */
export const strictValidatorCompiler: FastifySchemaCompiler<TSchema> = (route) =>
  validatedBy(compileValidator(route.schema), 'InvalidRequest')(route);

function validator(check: Check, refuse: (violations: readonly Violation[]) => ProblemReply) {
  return (value: unknown) => {
    const checked = check(value);
    return checked.ok ? { value: checked.value } : { error: refuse(checked.violations) };
  };
}

function queryValidator(schema: TSchema, code: ProblemCode) {
  const known = Object.keys(schema.properties ?? {});
  return validator(compileValidator(schema), (violations) => {
    const [first] = violations;
    const name = first?.pointer.slice(1) ?? '';
    const detail = known.includes(name)
      ? `Correct the query parameter \`${name}\`: it ${first?.message}.`
      : `Remove the unknown query parameter \`${name}\`; known ones are \`${known.join('`, `')}\`.`;
    return new ProblemReply(code, detail, violations);
  });
}
