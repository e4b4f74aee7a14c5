import type { Result, RuleName, Section } from '@gatehouse/contracts';
import { pathOf } from '@gatehouse/contracts/action';
import type { SeenAction } from './actions/http-action.ts';
import type { Check } from './check.ts';
import type { Evaluation } from './evaluate.ts';
import { findCurrency } from './money.ts';
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

  const toLog = sectionsToLog(request, evaluation);
  const sections: { [S in Section]?: object } = {};
  for (const { section, record } of RULE_TABLE) {
    const claims = toLog[section];
    const recorded = claims == null ? undefined : record?.(claims);
    if (recorded !== undefined) sections[section] = recorded;
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
    ...(withAmounts && toLog.spend != null && { spend: toLog.spend }),
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

/** Joins what the caller claims with what the profile states, so that a replay judges both. */
function sectionsToLog(request: Check, { stated, rules }: Evaluation) {
  const decided = (name: RuleName) =>
    rules.some(({ rule, facts }) => rule === name && facts.stated_by === 'profile');
  const { spend, pii, legal } = request;
  const [spends, involves, raises] = ['spend_limit', 'pii_guardrail', 'legal_compliance'] as const;
  return {
    ...request,
    spend: sectionToLog(spend, stated.spend, decided(spends), (claimed, other) =>
      isLarger(claimed, other, decided(spends)) ? claimed : other,
    ),
    pii: sectionToLog(pii, stated.pii, decided(involves), (claimed, other) => {
      return { categories: [...claimed.categories, ...other.categories] };
    }),
    legal: sectionToLog(legal, stated.legal, decided(raises), (claimed, other) => {
      return { flags: [...claimed.flags, ...other.flags] };
    }),
  };
}

/**
 * Returns what to log of one section. The first case that applies decides:
 * 1. If the profile states nothing or `none`, the caller's claims.
 * 2. If the statement could not be resolved, the caller's claims, but nothing if the statement
 *    decided, because a replay must not judge claims that did not decide.
 * 3. If the caller claims nothing, the statement.
 * 4. Otherwise, both joined.
 */
function sectionToLog<C>(
  claimed: C | null | undefined,
  stated: Result<C | 'none'> | undefined,
  statementDecided: boolean,
  join: (claimed: C, stated: C) => C,
): C | null | undefined {
  if (stated === undefined || (stated.ok && stated.value === 'none')) return claimed;

  if (!stated.ok) return statementDecided ? undefined : claimed;

  const value = stated.value as C;
  return claimed == null ? value : join(claimed, value);
}

type Spend = Claims<'spend'>;

/** True for a larger claim or, if the currencies differ, for a claim that decided. */
function isLarger(claimed: Spend, stated: Spend, statementDecided: boolean): boolean {
  const isSame = findCurrency(claimed.currency)?.code === stated.currency;
  return isSame ? claimed.amount_minor_units > stated.amount_minor_units : !statementDecided;
}
