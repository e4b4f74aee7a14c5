import {
  type CheckResponse,
  type DryRun,
  type ExecutionOutcome,
  type ExplainedResponse,
  FAILURES,
  OUTCOMES,
  type Outcome,
  type Problem,
  type RuleDecision,
} from '@gatehouse/contracts';

/**
 * The decision in a document. INVARIANT: undefined unless it is one of the three words and
 * the strictest of its rules, so that half an answer never allows.
 */
export function decisionOf(document: unknown): CheckResponse | undefined {
  const { decision, rules } = members<CheckResponse>(document);
  if (!Array.isArray(rules) || rules.length === 0 || !rules.every(isRule)) return undefined;
  const strictest = Math.max(...rules.map(({ outcome }) => OUTCOMES.indexOf(outcome)));
  return decision !== undefined && decision === OUTCOMES[strictest]
    ? (document as CheckResponse)
    : undefined;
}

/** A decision with its explanation. */
export type Explained = ExplainedResponse & Required<Pick<ExplainedResponse, 'explanation'>>;

export function explainedOf(document: unknown): Explained | undefined {
  const { explanation } = members<Explained>(document);
  return isObject(explanation) ? (decisionOf(document) as Explained | undefined) : undefined;
}

/** For each check its decision, or its problem. */
export type BatchResults = readonly (CheckResponse | Problem)[];

export function resultsOf(document: unknown, checks: number): BatchResults | undefined {
  const { results } = members<{ results: unknown }>(document);
  if (!Array.isArray(results) || results.length !== checks) return undefined;
  const read = results.map((each) => decisionOf(each) ?? problemOf(each, each?.status));
  return read.every((each) => each !== undefined) ? read : undefined;
}

function isRule(document: unknown): document is RuleDecision {
  const { rule, outcome, detail } = members<RuleDecision>(document);
  return typeof rule === 'string' && isOneOf(OUTCOMES, outcome) && typeof detail === 'string';
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

/** The problem in an answer of this status. */
export function problemOf(document: unknown, status: number): Problem | undefined {
  const problem = members<Problem>(document);
  const { code, detail } = problem;
  return typeof code === 'string' && typeof detail === 'string' && problem.status === status
    ? (document as Problem)
    : undefined;
}

/** Any object, whose form the caller's types promise. */
export function objectOf<T>(document: unknown): T | undefined {
  return isObject(document) ? (document as T) : undefined;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isOneOf = (words: readonly string[], word: unknown): word is Outcome =>
  words.some((known) => known === word);

function members<T>(document: unknown): Partial<T> {
  return isObject(document) ? (document as Partial<T>) : {};
}
