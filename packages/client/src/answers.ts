import {
  type CheckRequest,
  type CheckResponse,
  type DryRun,
  type ExecutionOutcome,
  type ExplainedResponse,
  FAILURES,
  OUTCOMES,
  PROBLEM_CODES,
  PROBLEMS,
  type Problem,
  RULES,
  type RuleDecision,
  type RuleName,
} from '@gatehouse/contracts';
import { inspectJson } from '@gatehouse/json-text';

/**
 * The decision on a check in a document. INVARIANT: undefined unless each rule that has to
 * answer does so once, no other does, and the strictest outcome is the decision.
 */
export function decisionOf(document: unknown, check: CheckRequest): CheckResponse | undefined {
  const { decision, rules } = members<CheckResponse>(document);
  if (!Array.isArray(rules) || !rules.every(isRule)) return undefined;
  const expected = rulesFor(check);
  const answered = new Set(rules.map(({ rule }) => rule));
  const complete = expected.every((rule) => answered.has(rule));
  if (!complete || rules.length !== expected.length) return undefined;
  const strictest = Math.max(...rules.map(({ outcome }) => OUTCOMES.indexOf(outcome)));
  return decision !== undefined && decision === OUTCOMES[strictest]
    ? (document as CheckResponse)
    : undefined;
}

/** The rules that answer a check: that of the connector only where one is stated. */
function rulesFor({ connector }: CheckRequest): readonly RuleName[] {
  const stated = connector !== undefined && connector !== null;
  return RULES.filter((rule) => stated || rule !== 'connector_scope');
}

/** A decision with its explanation. */
export type Explained = ExplainedResponse & Required<Pick<ExplainedResponse, 'explanation'>>;

export function explainedOf(document: unknown, check: CheckRequest): Explained | undefined {
  const { explanation } = members<Explained>(document);
  return isObject(explanation) ? (decisionOf(document, check) as Explained | undefined) : undefined;
}

/** For each check its decision, or its problem. */
export type BatchResults = readonly (CheckResponse | Problem)[];

export function resultsOf(
  document: unknown,
  checks: readonly CheckRequest[],
): BatchResults | undefined {
  const { results } = members<{ results: unknown }>(document);
  if (!Array.isArray(results) || results.length !== checks.length) return undefined;
  const read = checks.map(
    (check, at) => decisionOf(results[at], check) ?? problemOf(results[at], results[at]?.status),
  );
  return read.every((each) => each !== undefined) ? read : undefined;
}

function isRule(document: unknown): document is RuleDecision {
  const { rule, outcome, detail } = members<RuleDecision>(document);
  return isOneOf(RULES, rule) && isOneOf(OUTCOMES, outcome) && typeof detail === 'string';
}

export function outcomeOf(document: unknown): ExecutionOutcome | undefined {
  const { outcome, attempts, history } = members<ExecutionOutcome>(document);
  if (!Number.isInteger(attempts) || !Array.isArray(history)) return undefined;
  const known =
    outcome === 'success' ? isSuccess(document) : outcome === 'failure' && isFailure(document);
  return known ? (document as ExecutionOutcome) : undefined;
}

function isSuccess(document: unknown): boolean {
  const success = members<{ status: unknown; headers: unknown; body: unknown }>(document);
  return Number.isInteger(success.status) && isObject(success.headers) && 'body' in success;
}

function isFailure(document: unknown): boolean {
  const { error, message } = members<{ error: unknown; message: unknown }>(document);
  return isOneOf(FAILURES, error) && typeof message === 'string';
}

export function dryRunOf(document: unknown): DryRun | undefined {
  const { outcome, would_send, message } = members<DryRun>(document);
  return outcome === 'dry_run' && typeof would_send === 'boolean' && typeof message === 'string'
    ? (document as DryRun)
    : undefined;
}

/**
 * The problem in an answer of this status. Its code is one of ours, with the status that it always
 * has: what an intermediary answers says nothing of what the service did.
 */
export function problemOf(document: unknown, status: number): Problem | undefined {
  const { code, detail, status: stated } = members<Problem>(document);
  const known = isOneOf(PROBLEM_CODES, code) && PROBLEMS[code].status === status;
  return known && stated === status && typeof detail === 'string'
    ? (document as Problem)
    : undefined;
}

/** Any object, whose form the caller's types promise. */
export function objectOf<T>(document: unknown): T | undefined {
  return isObject(document) ? (document as T) : undefined;
}

/** Whether every reader of a JSON text sees the same value: no object repeats a member. */
export function isUnambiguous(text: Buffer): boolean {
  try {
    return inspectJson(text).repeatedMember === undefined;
  } catch {
    // It is not UTF-8, or starts with a byte order mark.
    return false;
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isOneOf = <T extends string>(words: readonly T[], word: unknown): word is T =>
  words.some((known) => known === word);

function members<T>(document: unknown): Partial<T> {
  return isObject(document) ? (document as Partial<T>) : {};
}
