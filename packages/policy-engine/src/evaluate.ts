import {
  type CheckRequest,
  type CheckResponse,
  type Decision,
  type Explanation,
  RULES,
  type RuleName,
} from '@gatehouse/contracts';
import { compileProfile } from './compile.ts';
import { defaultProfile } from './profile/default.ts';
import { type NamedResult, type Rule, strictest } from './rule.ts';
import { connectorScope } from './rules/connector-scope.ts';
import { legalCompliance } from './rules/legal-compliance.ts';
import { piiGuardrail } from './rules/pii-guardrail.ts';
import { spendLimit } from './rules/spend-limit.ts';

/** Everything the rules say about a request; response, explanation and record are parts of it. */
export interface Evaluation {
  /** The name of the profile. */
  readonly profile: string;
  readonly digest: string;
  readonly decision: Decision;
  readonly rules: readonly NamedResult[];
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
  const rules: NamedResult[] = [];
  for (const rule of RULES) {
    const result = RULE_BY_NAME[rule](request, compiled);
    if (result !== undefined) rules.push({ ...result, rule });
  }
  const decision = strictest(rules.map(({ outcome }) => outcome));
  return { profile: compiled.profile.name, digest: compiled.digest, decision, rules };
}

/** The body of the response to `POST /policy/check` (spec section 2). */
export function toResponse({ decision, rules }: Evaluation): CheckResponse {
  return { decision, rules: rules.map(({ rule, outcome, detail }) => ({ rule, outcome, detail })) };
}

/** Why each rule has its outcome: a code, what was compared, and a remedy, if there is one. */
export function toExplanation({ profile, digest, rules }: Evaluation): Explanation {
  return {
    profile,
    digest,
    rules: rules.map(({ rule, code, facts }) => ({ rule, code, ...facts })),
  };
}
