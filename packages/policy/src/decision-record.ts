import {
  type CheckRequest,
  LEGAL_FLAGS,
  PII_CATEGORIES,
  type RuleName,
} from '@gatehouse/contracts';
import type { Evaluation } from './evaluate.ts';
import type { RuleResult } from './rule.ts';

/**
 * Returns the log entry for a decision, without amounts or scope paths. Evaluating the logged
 * `pii`, `legal` and `connector` sections under the same profile gives the original outcomes.
 * Scopes are cut after 256 characters, so a longer scope may get a different outcome.
 */
export function decisionRecord(request: CheckRequest, evaluation: Evaluation) {
  const { request_id, pii, legal, connector } = request;
  const { profile, digest, decision } = evaluation;
  const rules: Partial<Record<RuleName, Pick<RuleResult, 'outcome' | 'code'>>> = {};
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

/** Captures the name of a scope, such as `mcp://files`, and the character after the name. */
const SCOPE = /^((?:mcp:\/\/)?[^/?#:@\s]*)(.)?/is;

/**
 * Logs `mcp://files/token` as `mcp://files/…`, because the path could contain a secret. Keeps the
 * `/` after the name, because `mcp://files/` and `mcp://files` can get different outcomes.
 */
function recordedConnector(scope: string): { readonly scope?: string } {
  if (scope === '') return {};
  const [, name = '', next = ''] = SCOPE.exec(scope.slice(0, MAX_SCOPE_CHARS)) ?? [];
  const cut = next !== '' || scope.length > MAX_SCOPE_CHARS;
  return { scope: (cut ? `${name}${next}…` : name).toWellFormed() };
}
