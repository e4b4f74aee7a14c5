import {
  CheckRequest,
  type CheckResponse,
  CURRENCY_FORMAT,
  type Decision,
  type Explanation,
  RULES,
  type RuleName,
  type Violation,
} from '@gatehouse/contracts';
import { compileValidator } from '@gatehouse/validation';
import { findCurrency } from './money.ts';
import { compileProfile } from './profile/compile.ts';
import { defaultProfile } from './profile/default.ts';
import { type Rule, type RuleResult, strictest } from './rule.ts';
import { connectorScope } from './rules/connector-scope.ts';
import { legalCompliance } from './rules/legal-compliance.ts';
import { piiGuardrail } from './rules/pii-guardrail.ts';
import { spendLimit } from './rules/spend-limit.ts';

/** Result of all rules, from which response, explanation and record are made. */
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
 * Evaluates a request that matches the `CheckRequest` schema; use `checkPolicy` for any other.
 * Every rule is evaluated, so that a deny does not hide other results; the strictest one decides.
 * @throws InvalidProfile
 */
export function evaluate(request: CheckRequest, profile = defaultProfile): Evaluation {
  const compiled = compileProfile(profile);
  const rules = RULES.flatMap((rule) => {
    const result = RULE_BY_NAME[rule](request, compiled);
    return result === undefined ? [] : [{ ...result, rule }];
  });
  const decision = strictest(rules.map(({ outcome }) => outcome));
  return { profile: compiled.profile.name, digest: compiled.digest, decision, rules };
}

/** Returns the response of `POST /policy/check` (`policy-service.md` section 2). */
export function toResponse({ decision, rules }: Evaluation): CheckResponse {
  return { decision, rules: rules.map(({ rule, outcome, detail }) => ({ rule, outcome, detail })) };
}

export function toExplanation({ profile, digest, rules }: Evaluation): Explanation {
  const explained = rules.map(({ rule, code, facts }) => ({ rule, code, ...facts }));
  return { profile, digest, rules: explained };
}

export const validateCheckRequest = compileValidator(CheckRequest, {
  [CURRENCY_FORMAT]: (code) => findCurrency(code) !== undefined,
});

type CheckResult =
  | { readonly ok: true; readonly response: CheckResponse }
  | { readonly ok: false; readonly violations: Violation[] };

/**
 * Validates and evaluates any value.
 * @throws InvalidProfile
 */
export function checkPolicy(request: unknown, profile = defaultProfile): CheckResult {
  compileProfile(profile);
  const checked = validateCheckRequest(request);
  if (!checked.ok) return checked;
  return { ok: true, response: toResponse(evaluate(checked.value, profile)) };
}
