import {
  CheckRequest,
  type CheckResponse,
  CURRENCY_FORMAT,
  type Decision,
  type Explanation,
  RULES,
  type RuleName,
  strictest,
} from '@gatehouse/contracts';
import { compileValidator } from '@gatehouse/contracts/validation';
import { findCurrency } from './money.ts';
import { compileProfile } from './profile/compile.ts';
import { defaultProfile } from './profile/default.ts';
import type { Rule, RuleResult } from './rule.ts';
import { connectorScope } from './rules/connector-scope.ts';
import { legalCompliance, piiGuardrail } from './rules/labels.ts';
import { spendLimit } from './rules/spend-limit.ts';

/** Results of all rules for one request, and the decision that follows from the results. */
export interface Evaluation {
  readonly profile: string;
  readonly digest: string;
  readonly decision: Decision;
  readonly rules: readonly (RuleResult & { readonly rule: RuleName })[];
}

const RULE_BY_NAME: Readonly<Record<RuleName, Rule>> = {
  spend_limit: spendLimit,
  pii_guardrail: piiGuardrail,
  legal_compliance: legalCompliance,
  connector_scope: connectorScope,
};

/**
 * Evaluates a request that matches the `CheckRequest` schema. For unvalidated input, use
 * `checkPolicy`. Evaluates all rules even after a deny, so that the response lists every outcome.
 * The decision is the strictest outcome of all rules.
 * @throws InvalidProfile
 */
export function evaluate(request: CheckRequest, profile = defaultProfile): Evaluation {
  const compiled = compileProfile(profile);
  const rules: Evaluation['rules'][number][] = [];
  for (const rule of RULES) {
    const result = RULE_BY_NAME[rule](request, compiled);
    if (result !== undefined) rules.push({ ...result, rule });
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

/** Custom format for `CheckRequest` validators. The format accepts only known currency codes. */
export const CHECK_FORMATS = {
  [CURRENCY_FORMAT]: (code: string) => findCurrency(code) !== undefined,
};

export const validateCheckRequest = compileValidator(CheckRequest, CHECK_FORMATS);

/** Checks whether a value is a valid request and, if so, evaluates it. @throws InvalidProfile */
export function checkPolicy(request: unknown, profile = defaultProfile) {
  compileProfile(profile);
  const checked = validateCheckRequest(request);
  if (!checked.ok) return checked;
  return { ok: true as const, response: toResponse(evaluate(checked.value, profile)) };
}
