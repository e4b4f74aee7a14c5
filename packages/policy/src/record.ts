import type { RuleName, Section } from '@gatehouse/contracts';
import { pathOf } from '@gatehouse/contracts/action';
import type { SeenAction } from './actions/http-action.ts';
import type { Check } from './check.ts';
import type { Evaluation } from './evaluate.ts';
import type { Claims, RuleResult } from './rules/rule.ts';
import { RULE_TABLE } from './rules/table.ts';

/**
 * Returns the log entry for a decision, without scope paths, and without amounts unless
 * `withAmounts` is true. Evaluating the logged sections under the same profile gives the original
 * outcomes of their rules.
 */
export function decisionRecord(request: Check, evaluation: Evaluation, withAmounts = false) {
  const { profile, digest, decision } = evaluation;
  const rules: { [R in RuleName]?: Pick<RuleResult, 'outcome' | 'code'> } = {};
  for (const { rule, outcome, code } of evaluation.rules) rules[rule] = { outcome, code };

  const sections: { [S in Section]?: object } = {};
  for (const rule of RULE_TABLE) {
    const claims = claimsToLog(rule, request[rule.section], evaluation);
    const recorded = claims == null ? undefined : rule.record(claims, withAmounts);
    if (recorded !== undefined) sections[rule.section] = recorded;
  }

  const { request_id: id, action } = request;
  return {
    ...(id != null && { caller_request_id: id }),
    ...(action !== undefined && { action: { ...actionRecord(action), digest: action.digest } }),
    profile,
    digest,
    decision,
    rules,
    ...sections,
  };
}

/**
 * Leaves out the query and the body, which may hold secrets (docs/contract.md, "Action"). Keeps an
 * ambiguous path as it was written, so that a replay finds it ambiguous too.
 */
function actionRecord({ method, target }: SeenAction) {
  const path = pathOf(target).isAmbiguous ? target.writtenPath : target.url.pathname;
  return { method, host: target.url.host, path };
}

/**
 * Returns the claims whose outcome a replay must give. The first case that applies decides:
 * 1. If the profile states nothing or `none`, the caller's claims.
 * 2. If the statement could not be resolved, the caller's claims, but nothing if the statement
 *    decided, because a replay must not judge claims that did not decide.
 * 3. If the caller claims nothing, the statement.
 * 4. Otherwise, both joined.
 */
function claimsToLog(
  { name, section, join }: (typeof RULE_TABLE)[number],
  claimed: Claims<Section> | null | undefined,
  { stated, rules }: Evaluation,
): Claims<Section> | null | undefined {
  const statement = stated[section];
  if (statement === undefined || (statement.ok && statement.value === 'none')) return claimed;

  const statementDecided = rules.some(
    ({ rule, facts }) => rule === name && facts.stated_by === 'profile',
  );
  if (!statement.ok) return statementDecided ? undefined : claimed;

  const value = statement.value as Claims<Section>;
  return claimed == null ? value : join?.(claimed, value, statementDecided);
}
