import { type Static, Type } from '@sinclair/typebox';
import { SERVICE_PATHS } from '../routes.ts';
import { Integer, OneOf, Text, Titled } from '../schema.ts';
import { MAX_VIOLATIONS, summarizeViolations, Violation } from '../violation.ts';
import { PROBLEM_CODES, PROBLEMS, type ProblemCode } from './problem-codes.ts';
import type { ProblemKind } from './problem-kind.ts';

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

export const Problem = Titled('Problem', {
  type: Text('URI reference of the page that documents this kind of problem.'),
  title: Text('Human-readable name of this kind of problem. Each `code` has one title.'),
  status: Integer('HTTP status of the response.'),
  detail: Text('One sentence that says what to change.'),
  code: OneOf(PROBLEM_CODES, 'Stable code for programs.', 'ProblemCode'),
  request_id: Text('Identifier of the request in log lines and in the `x-request-id` header.'),
  errors: Type.Optional(
    Type.Array(Violation, {
      maxItems: MAX_VIOLATIONS,
      description: `The first ${MAX_VIOLATIONS} violations.`,
    }),
  ),
});
export type Problem = Static<typeof Problem>;

/** Returns the stable URI reference of a problem, such as `/problems/invalid-action`. */
export function problemType(code: ProblemCode): string {
  return `${SERVICE_PATHS.problems}/${code.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()}`;
}

interface Occurrence {
  readonly detail: string;
  readonly requestId: string;
  readonly violations?: readonly Violation[] | undefined;
}

export function problemDocument(code: ProblemCode, occurrence: Occurrence): Problem {
  const { title, status } = PROBLEMS[code];
  const { detail, requestId, violations } = occurrence;
  const document = { type: problemType(code), title, status, detail, code, request_id: requestId };
  if (violations === undefined) return document;
  return { ...document, errors: violations.slice(0, MAX_VIOLATIONS) };
}

export function exampleOf(code: ProblemCode): Omit<Occurrence, 'requestId'> {
  const { example }: ProblemKind = PROBLEMS[code];
  if (typeof example === 'string') return { detail: example };
  return { detail: summarizeViolations(example), violations: example };
}
