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

  const resolved = resolvedSections(request, evaluation);
  const sections: { [S in Section]?: object } = {};
  for (const { section, record } of RULE_TABLE) {
    const claims = resolved[section];
    const recorded = claims == null ? undefined : record(claims);
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
    ...(withAmounts && resolved.spend != null && { spend: resolved.spend }),
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
function resolvedSections(request: Check, { stated, rules }: Evaluation) {
  const decides = (name: RuleName) =>
    rules.some(({ rule, facts }) => rule === name && facts.stated_by === 'profile');
  const { spend, pii, legal, connector } = request;
  const [spends, involves, raises] = ['spend_limit', 'pii_guardrail', 'legal_compliance'] as const;
  return {
    spend: resolve(spend, stated.spend, decides(spends), (own, other) =>
      isLarger(own, other, decides(spends)) ? own : other,
    ),
    pii: resolve(pii, stated.pii, decides(involves), (own, other) => {
      return { categories: [...own.categories, ...other.categories] };
    }),
    legal: resolve(legal, stated.legal, decides(raises), (own, other) => {
      return { flags: [...own.flags, ...other.flags] };
    }),
    connector,
  };
}

/**
 * Returns what to log of one section. The first case that applies decides:
 * 1. Without a statement of the profile, the caller's claims.
 * 2. If a statement could not be resolved, nothing if the statement decided, else the claims.
 * 3. If only the caller or only the profile says what is involved, that.
 * 4. Otherwise, both joined.
 */
function resolve<C>(
  own: C | null | undefined,
  stated: Result<C | 'none'> | undefined,
  isDecisive: boolean,
  join: (own: C, stated: C) => C,
): C | null | undefined {
  if (stated === undefined) return own;

  if (!stated.ok) return isDecisive ? undefined : own;

  if (stated.value === 'none') return own;

  const value = stated.value as C;
  return own == null ? value : join(own, value);
}

type Spend = Claims<'spend'>;

/** True for a larger claim or, if the currencies differ, for a claim that decided. */
function isLarger(own: Spend, stated: Spend, statementDecides: boolean): boolean {
  const isSame = findCurrency(own.currency)?.code === stated.currency;
  return isSame ? own.amount_minor_units > stated.amount_minor_units : !statementDecides;
}
