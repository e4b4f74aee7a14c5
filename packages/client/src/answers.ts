import {
  BatchResponse,
  type CheckRequest,
  CheckResponse,
  DECISIONS,
  PROBLEMS,
  Problem,
  RULES,
} from '@gatehouse/contracts';
import { type Checked, compileValidator } from '@gatehouse/validation';
import type { Static, TSchema } from '@sinclair/typebox';

/** Gives a document its type if it has that form. The schema is compiled at the first use. */
export function readerOf<T extends TSchema>(
  schema: T,
): (document: unknown) => Static<T> | undefined {
  let check: ((document: unknown) => Checked<Static<T>>) | undefined;
  return (document) => {
    check ??= compileValidator(schema);
    const checked = check(document);
    return checked.ok ? checked.value : undefined;
  };
}

const readResponse = readerOf(CheckResponse);
const readBatch = readerOf(BatchResponse);
const readProblem = readerOf(Problem);

/**
 * Reads the decision on a check. INVARIANT: undefined unless each rule that has to answer does
 * so once, no other rule does, and the strictest outcome is the decision.
 */
export function decisionOf(document: unknown, check: CheckRequest): CheckResponse | undefined {
  const answer = readResponse(document);
  if (answer === undefined) return undefined;
  const { decision, rules } = answer;
  const hasConnector = check.connector !== undefined && check.connector !== null;
  const expected = RULES.filter((rule) => hasConnector || rule !== 'connector_scope');
  const answered = new Set(rules.map(({ rule }) => rule));
  const complete = expected.every((rule) => answered.has(rule));
  if (!complete || rules.length !== expected.length) return undefined;
  const strictest = Math.max(...rules.map(({ outcome }) => DECISIONS.indexOf(outcome)));
  return decision === DECISIONS[strictest] ? answer : undefined;
}

/** A decision with its explanation. */
export type Explained = CheckResponse & Required<Pick<CheckResponse, 'explanation'>>;

export function explainedOf(document: unknown, check: CheckRequest): Explained | undefined {
  const answer = decisionOf(document, check);
  return answer?.explanation && { ...answer, explanation: answer.explanation };
}

/** The decision or the problem of each check. */
export type BatchResults = readonly (CheckResponse | Problem)[];

export function resultsOf(
  document: unknown,
  checks: readonly CheckRequest[],
): BatchResults | undefined {
  const { results = [] } = readBatch(document) ?? {};
  const read = results.map((result, at) =>
    'code' in result ? problemOf(result, result.status) : decisionOf(result, checks[at] ?? {}),
  );
  const complete = read.length === checks.length && read.every((result) => result !== undefined);
  return complete ? read : undefined;
}

/**
 * Reads the problem in an answer of this status. Its code has the status that it always has,
 * because a proxy's own problem does not tell what the service did.
 */
export function problemOf(document: unknown, status: number): Problem | undefined {
  const problem = readProblem(document);
  if (problem === undefined || problem.status !== status) return undefined;
  return PROBLEMS[problem.code].status === status ? problem : undefined;
}
