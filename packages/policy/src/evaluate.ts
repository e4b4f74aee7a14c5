import {
  type CheckResponse,
  type Decision,
  type Explanation,
  type RuleExplanation,
  type RuleName,
  type Section,
  strictest,
} from '@gatehouse/contracts';
import type { PlannedAction } from '@gatehouse/contracts/action';
import { type Check, readCheck } from './check.ts';
import { compileProfile, defaultProfile } from './profile.ts';
import type { RuleResult } from './rules/rule.ts';
import { RULE_TABLE } from './rules/table.ts';

/** Results of all rules for one request, and the decision that follows from the results. */
export interface Evaluation {
  readonly profile: string;
  readonly digest: string;
  readonly decision: Decision;
  readonly rules: readonly (RuleResult & { readonly rule: RuleName })[];
}

/**
 * Evaluates a check that `readCheck` has read. For unread input, use `checkPolicy`. Evaluates all
 * rules even after a deny, so that the response lists every outcome. The decision is the strictest
 * outcome of all rules.
 * @throws InvalidProfile
 */
export function evaluate(request: Check, profile = defaultProfile): Evaluation {
  const compiled = compileProfile(profile);
  const rules: Evaluation['rules'][number][] = [];
  for (const { name: rule, section, missing, apply } of compiled.rules) {
    const claims = request[section];
    const { outcome, detail } = missing;
    if (claims != null) rules.push({ ...apply(claims), rule });
    else if (outcome !== 'no_entry')
      rules.push({ rule, outcome, code: 'section_missing', detail, facts: {} });
  }

  const decision = strictest(rules.map(({ outcome }) => outcome));
  return { profile: compiled.profile.name, digest: compiled.digest, decision, rules };
}

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
  return RULE_TABLE.find(({ name }) => name === rule)?.allows(explained);
}

/**
 * Returns the log entry for a decision, without amounts or scope paths. Evaluating the logged
 * sections under the same profile gives the original outcomes of their rules.
 */
export function decisionRecord(request: Check, evaluation: Evaluation) {
  const { profile, digest, decision } = evaluation;
  const rules: { [R in RuleName]?: Pick<RuleResult, 'outcome' | 'code'> } = {};
  for (const { rule, outcome, code } of evaluation.rules) rules[rule] = { outcome, code };

  const sections: { [S in Section]?: object } = {};
  for (const { section, record } of RULE_TABLE) {
    const claims = request[section];
    const recorded = claims == null ? undefined : record(claims);
    if (recorded !== undefined) sections[section] = recorded;
  }

  const { request_id: id, action } = request;
  return {
    ...(id != null && { caller_request_id: id }),
    ...(action !== undefined && { action: actionRecord(action) }),
    profile,
    digest,
    decision,
    rules,
    ...sections,
  };
}

/** Leaves out the query and the body, which may hold secrets (docs/contract.md, "Action"). */
function actionRecord({ method, target, digest }: PlannedAction) {
  const { host, pathname: path } = target.url;
  return { method, host, path, digest };
}

/** Reads any value as a check and, if it is valid, evaluates it. @throws InvalidProfile */
export function checkPolicy(request: unknown, profile = defaultProfile) {
  compileProfile(profile);
  const checked = readCheck(request);
  if (!checked.ok) return checked;

  return { ok: true as const, response: toResponse(evaluate(checked.value, profile)) };
}
