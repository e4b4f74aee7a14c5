import {
  type CheckResponse,
  type Decision,
  type Explanation,
  type Result,
  type RuleExplanation,
  type RuleName,
  type Section,
  strictest,
} from '@gatehouse/contracts';
import type { Statements } from './actions/facts.ts';
import { allowedRequests } from './actions/http-action.ts';
import { type Check, readCheck } from './check.ts';
import { type CompiledProfile, compileProfile, defaultProfile } from './profile.ts';
import type { Claims, RuleResult } from './rules/rule.ts';
import { RULE_TABLE } from './rules/table.ts';

/** Results of all rules for one request, and the decision that follows from the results. */
export interface Evaluation {
  readonly profile: string;
  readonly digest: string;
  readonly decision: Decision;
  readonly rules: readonly (RuleResult & { readonly rule: RuleName })[];
  /** Facts that the profile states about the action, by section. */
  readonly stated: Statements;
}

const NOTHING_STATED: Statements = {};

/**
 * Evaluates a check that `readCheck` has read. For unread input, use `checkPolicy`. Evaluates all
 * rules even after a deny, so that the response lists every outcome. The decision is the strictest
 * outcome of all rules.
 * @throws InvalidProfile
 */
export function evaluate(request: Check, profile = defaultProfile): Evaluation {
  const compiled = compileProfile(profile);
  const judged = compiled.judgeAction?.(request.action ?? request.recorded, request.spend);
  const stated = judged?.stated ?? NOTHING_STATED;
  const rules: Evaluation['rules'][number][] = [];
  for (const each of compiled.rules) {
    const { name: rule, section } = each;
    const result = applyRule(each, request[section], stated[section]);
    if (result !== undefined) rules.push({ ...result, rule });
  }
  if (judged !== undefined) rules.push({ ...judged.result, rule: 'http_action' });

  const decision = strictest(rules.map(({ outcome }) => outcome));
  return { profile: compiled.profile.name, digest: compiled.digest, decision, rules, stated };
}

type SectionRule = CompiledProfile['rules'][number];
type AnyClaims = Claims<Section>;

/**
 * Applies a rule to what the caller claims and to what the profile states. Returns the first result
 * that exists:
 * 1. the stricter one of the two, or that of the statement if both are equally strict;
 * 2. the only one;
 * 3. the outcome of a missing section, unless the profile says `no_entry`.
 */
function applyRule(
  rule: SectionRule,
  claims: AnyClaims | null | undefined,
  statement: Result<AnyClaims | 'none'> | undefined,
): RuleResult | undefined {
  const own = claims == null ? undefined : rule.apply(claims);
  const other = statement === undefined ? undefined : applyStatement(rule, statement);
  if (own !== undefined && other !== undefined)
    return strictest([own.outcome, other.outcome]) === other.outcome ? other : own;

  if (own !== undefined || other !== undefined) return own ?? other;

  const { outcome, detail } = rule.missing;
  return outcome === 'no_entry' ? undefined : missingResult(outcome, detail);
}

const missingResult = (outcome: Decision, detail: string): RuleResult => {
  return { outcome, code: 'section_missing', detail, facts: {} };
};

function applyStatement(
  { section, missing, apply }: SectionRule,
  statement: Result<AnyClaims | 'none'>,
): RuleResult {
  const result = () => {
    if (!statement.ok) {
      const detail = `The profile states ${section}, but ${statement.reason}, so the section counts as missing.`;
      return missingResult(missing.outcome as Decision, detail);
    }
    return statement.value === 'none' ? NOTHING_SPENT : apply(statement.value);
  };
  const { facts, ...rest } = result();
  return { ...rest, facts: { ...facts, stated_by: 'profile' } };
}

const NOTHING_SPENT: RuleResult = {
  outcome: 'allow',
  code: 'nothing_spent',
  detail: 'The action spends nothing.',
  facts: {},
};

/** Returns the response body for `POST /policy/check` (`policy-service.md` section 2). */
export function toResponse({ decision, rules }: Evaluation): CheckResponse {
  return { decision, rules: rules.map(({ rule, outcome, detail }) => ({ rule, outcome, detail })) };
}

export function toExplanation({ profile, digest, rules }: Evaluation): Explanation {
  const explained = rules.map(({ rule, code, facts }) => ({ rule, code, ...facts }));
  return { profile, digest, rules: explained };
}

/** Says what a rule would allow, to complete "the rule would allow …", if its explanation does. */
export function allowedInstead({ rule, ...explained }: RuleExplanation): string | undefined {
  if (rule === 'http_action') return allowedRequests(explained);
  return RULE_TABLE.find(({ name }) => name === rule)?.allows(explained);
}

/** Reads any value as a check and, if it is valid, evaluates it. @throws InvalidProfile */
export function checkPolicy(request: unknown, profile = defaultProfile) {
  compileProfile(profile);
  const checked = readCheck(request);
  if (!checked.ok) return checked;

  return { ok: true as const, response: toResponse(evaluate(checked.value, profile)) };
}
