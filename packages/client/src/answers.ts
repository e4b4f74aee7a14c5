import {
  BatchResponse,
  type CheckRequest,
  CheckResponse,
  OPTIONAL_RULES,
  PROBLEMS,
  Problem,
  RULE_SCHEMAS,
  RULES,
  type RuleName,
  strictest,
} from '@gatehouse/contracts';
import { compileValidator } from '@gatehouse/contracts/validation';
import type { Static, TSchema } from '@sinclair/typebox';

/** Returns a function that returns documents that match `schema`, and undefined for all others. */
export function readerFor<T extends TSchema>(schema: T) {
  const check = compileValidator(schema);
  return (document: unknown): Static<T> | undefined => {
    const checked = check(document);
    return checked.ok ? checked.value : undefined;
  };
}

const parseResponse = readerFor(CheckResponse);
const parseBatch = readerFor(BatchResponse);
const parseProblem = readerFor(Problem);

/**
 * Returns the decision on a check, or undefined if the decision is incomplete or contradictory.
 * INVARIANT: a returned response lists each rule that applies to the check exactly once, and the
 * response's `decision` is the strictest outcome in the list.
 */
export function readDecision(document: unknown, check: CheckRequest): CheckResponse | undefined {
  const answer = parseResponse(document);
  if (answer === undefined) return undefined;

  const { decision, rules } = answer;
  const isStated = (rule: RuleName) =>
    check[rule === 'http_action' ? 'action' : RULE_SCHEMAS[rule].section] != null;
  const isRequired = (rule: RuleName) =>
    !OPTIONAL_RULES.includes(rule) || (rule !== 'http_action' && isStated(rule));
  const names = new Set(rules.map(({ rule }) => rule));
  if (names.size !== rules.length || !RULES.filter(isRequired).every((rule) => names.has(rule)))
    return undefined;

  // An optional rule must not allow what the check does not contain.
  const isBaseless = ({ rule, outcome }: CheckResponse['rules'][number]) =>
    outcome === 'allow' && !isRequired(rule) && !isStated(rule);
  if (rules.some(isBaseless)) return undefined;

  return decision === strictest(rules.map(({ outcome }) => outcome)) ? answer : undefined;
}

export type Explained = CheckResponse & Required<Pick<CheckResponse, 'explanation'>>;

export function readExplained(document: unknown, check: CheckRequest): Explained | undefined {
  const answer = readDecision(document, check);
  return answer?.explanation && { ...answer, explanation: answer.explanation };
}

export type BatchResults = readonly (CheckResponse | Problem)[];

export function readResults(document: unknown, { checks }: { checks: readonly CheckRequest[] }) {
  const { results = [] } = parseBatch(document) ?? {};
  const read = results.map((result, at) =>
    'code' in result
      ? readProblemAnswer(result, result.status)
      : readDecision(result, checks[at] ?? {}),
  );
  const complete = read.length === checks.length && read.every((result) => result !== undefined);
  return complete ? read : undefined;
}

/**
 * Reads a problem that a service answered. Ignores one that contradicts the HTTP status, because a
 * proxy may have sent it.
 */
export function readProblemAnswer(document: unknown, status: number): Problem | undefined {
  const problem = parseProblem(document);
  if (problem === undefined || problem.status !== status) return undefined;
  return PROBLEMS[problem.code].status === status ? problem : undefined;
}

/** Returns the body, or undefined as soon as the body exceeds `maxBytes`. */
export async function readAnswer(maxBytes: number, body: AsyncIterable<Buffer>) {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}
