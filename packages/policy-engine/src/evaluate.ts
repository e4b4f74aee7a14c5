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
import { legalCompliance, piiGuardrail } from './rules/pii-and-legal.ts';
import { spendLimit } from './rules/spend-limit.ts';

/** Everything the rules say about a request; response, explanation and record are parts of it. */
export interface Evaluation {
  /** The name of the profile. */
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
 * Every rule answers, so that a deny hides no other result; the strictest outcome decides.
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

/** The body of the response to `POST /policy/check` (spec section 2). */
export function toResponse({ decision, rules }: Evaluation): CheckResponse {
  return { decision, rules: rules.map(({ rule, outcome, detail }) => ({ rule, outcome, detail })) };
}

/** Why each rule has its outcome: a code, what was compared, and a remedy, if there is one. */
export function toExplanation({ profile, digest, rules }: Evaluation): Explanation {
  const explained = rules.map(({ rule, code, facts }) => ({ rule, code, ...facts }));
  return { profile, digest, rules: explained };
}

/** Validates what `evaluate` takes; the policy service does so with this same function. */
export const validateCheckRequest = compileValidator(CheckRequest, {
  [CURRENCY_FORMAT]: (code) => findCurrency(code) !== undefined,
});

type CheckResult =
  | { readonly ok: true; readonly response: CheckResponse }
  | { readonly ok: false; readonly violations: Violation[] };

/**
 * Validates and evaluates any value: gives the response of `POST /policy/check`, or the
 * violations that it would list.
 * @throws InvalidProfile
 */
export function checkPolicy(request: unknown, profile = defaultProfile): CheckResult {
  compileProfile(profile);
  const checked = validateCheckRequest(request);
  if (!checked.ok) return checked;
  return { ok: true, response: toResponse(evaluate(checked.value, profile)) };
}
