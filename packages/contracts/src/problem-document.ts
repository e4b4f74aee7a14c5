import { type Static, Type } from '@sinclair/typebox';
import { PROBLEM_CODES, PROBLEMS, type ProblemCode, type ProblemKind } from './problem-codes.ts';
import { SERVICE_PATHS } from './routes.ts';
import { Integer, OneOf, Text, Titled } from './schema.ts';
import { MAX_VIOLATIONS, summarizeViolations, Violation } from './violation.ts';

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

export const Problem = Titled('Problem', {
  type: Text('URI reference of a page about this problem.'),
  title: Text('Kind of problem, for people; each `code` has one title.'),
  status: Integer('The HTTP status of the response.'),
  detail: Text('One sentence that says what to change.'),
  code: OneOf(PROBLEM_CODES, 'Stable code for programs.', 'ProblemCode'),
  request_id: Text('The `x-request-id` of the response; search the log for it.'),
  errors: Type.Optional(
    Type.Array(Violation, { maxItems: MAX_VIOLATIONS, description: 'The first violations.' }),
  ),
});
export type Problem = Static<typeof Problem>;

/** Returns the stable URI reference: `InvalidAction` → `/problems/invalid-action`. */
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
