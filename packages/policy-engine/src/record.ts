import {
  type CheckRequest,
  type Decision,
  LEGAL_FLAGS,
  type LegalFlag,
  PII_CATEGORIES,
  type PiiCategory,
  type ReasonCode,
  type RuleName,
} from '@gatehouse/contracts';
import type { Evaluation } from './evaluate.ts';

/** Log entry of a decision, without amounts and without the part of a scope after its name. */
type DecisionRecord = {
  /** `request_id` of the check. */
  readonly caller_request_id?: string;
  readonly profile: string;
  readonly digest: string;
  readonly decision: Decision;
  readonly rules: Readonly<Partial<Record<RuleName, RecordedRule>>>;
  readonly pii?: { readonly categories: readonly PiiCategory[] };
  readonly legal?: { readonly flags: readonly LegalFlag[] };
  readonly connector?: { readonly scope?: string };
};

interface RecordedRule {
  readonly outcome: Decision;
  readonly code: ReasonCode;
}

/**
 * Returns the log entry of an evaluation. Evaluating its sections again under the same profile
 * gives the same outcomes.
 */
export function decisionRecord(request: CheckRequest, evaluation: Evaluation): DecisionRecord {
  const { request_id, pii, legal, connector } = request;
  const { profile, digest, decision } = evaluation;
  const rules: Partial<Record<RuleName, RecordedRule>> = {};
  for (const { rule, outcome, code } of evaluation.rules) rules[rule] = { outcome, code };
  return {
    ...(request_id != null && { caller_request_id: request_id }),
    profile,
    digest,
    decision,
    rules,
    ...(pii != null && { pii: { categories: PII_CATEGORIES.filter(isIn(pii.categories)) } }),
    ...(legal != null && { legal: { flags: LEGAL_FLAGS.filter(isIn(legal.flags)) } }),
    ...(connector != null && { connector: recordedConnector(connector.scope?.trim() ?? '') }),
  };
}

const isIn = (labels: readonly string[]) => (label: string) => labels.includes(label);

const MAX_SCOPE_CHARS = 256;

/** Matches the scheme and the name, and the character after them. */
const SCOPE = /^((?:mcp:\/\/)?[^/?#:@]*)(.)?/is;

/**
 * The part after the name may be a secret, so it is replaced by `…`. The first character of it is
 * kept because it can change the outcome.
 */
function recordedConnector(scope: string): { readonly scope?: string } {
  if (scope === '') return {};
  const [, name = '', next = ''] = SCOPE.exec(scope.slice(0, MAX_SCOPE_CHARS)) ?? [];
  const cut = next !== '' || scope.length > MAX_SCOPE_CHARS;
  return { scope: (cut ? `${name}${next}…` : name).toWellFormed() };
}
