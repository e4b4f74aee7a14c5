import type { ProblemCode, Violation } from '@gatehouse/contracts';
import { type Checked, compileValidator } from '@gatehouse/contracts/validation';
import type { TSchema } from '@sinclair/typebox';
import type { FastifySchemaCompiler } from 'fastify';
import { invalidReply, ProblemReply } from '../problems/problem-reply.ts';

type Check = (value: unknown) => Checked<unknown>;

/**
 * Replaces Fastify's validator, which would convert `"1"` to 1 and drop unknown members. Answers
 * invalid input with the problem `code`. Uses `check`, if given, in place of the body's schema.
 */
export function strictValidator(code: ProblemCode, check?: Check): FastifySchemaCompiler<unknown> {
  return ({ httpPart, ...route }) => {
    // Accept any path parameter, because a request for an unknown page must get a 404, not a 400.
    if (httpPart === 'params') return () => true;
    const schema = route.schema as TSchema;
    if (httpPart === 'querystring') return queryValidator(schema, code);
    const refuse = (violations: readonly Violation[]) => invalidReply(code, violations);
    return Object.assign(validator(check ?? compileValidator(schema), refuse), { code });
  };
}

type Validated = { readonly value?: unknown; readonly error?: ProblemReply };

export interface BodyCheck {
  (value: unknown): Validated;
  /** Code of the problem for an invalid body. */
  readonly code: ProblemCode;
}

function validator(
  check: Check,
  refuse: (violations: readonly Violation[]) => ProblemReply,
): (value: unknown) => Validated {
  return (value) => {
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
      : `Remove the unknown query parameter \`${name}\`; the known ones are \`${known.join('`, `')}\`.`;
    return new ProblemReply(code, detail, violations);
  });
}
