import type { CheckRequest, CheckResponse, Outcome, RuleDecision } from '@gatehouse/contracts';
import { compileProfile } from './compile.ts';
import { defaultProfile } from './profile/default.ts';
import { type RuleReason, stricter } from './rule.ts';

/** An answer, and the reason of each of its rules, in the same order. */
export interface Judgement {
  readonly response: CheckResponse;
  readonly reasons: readonly RuleReason[];
}

/**
 * Judges a request that matches the `CheckRequest` schema; for any other use `checkPolicy`.
 * @throws InvalidProfile
 */
export function evaluatePolicy(request: CheckRequest, profile = defaultProfile): CheckResponse {
  return judgePolicy(request, profile).response;
}

/**
 * As `evaluatePolicy`, with what a record needs. Every rule answers, so that a deny hides
 * no other answer; the strictest outcome decides.
 * @throws InvalidProfile
 */
export function judgePolicy(request: CheckRequest, profile = defaultProfile): Judgement {
  let decision: Outcome = 'allow';
  const rules: RuleDecision[] = [];
  const reasons: RuleReason[] = [];
  for (const { rule, judge, detail } of compileProfile(profile).rules) {
    const reason = judge(request);
    if (reason === undefined) continue;
    const { outcome } = reason;
    decision = stricter(decision, outcome);
    rules.push({ rule, outcome, detail: detail(request, reason) });
    reasons.push(reason);
  }
  return { response: { decision, rules }, reasons };
}
