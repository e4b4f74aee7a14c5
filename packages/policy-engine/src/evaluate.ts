import type { CheckRequest, CheckResponse, Outcome, RuleDecision } from '@gatehouse/contracts';
import { compileProfile } from './compile.ts';
import { defaultProfile } from './profile/default.ts';
import { stricter } from './rule.ts';

/**
 * Judges a request that matches the `CheckRequest` schema; for any other use `checkPolicy`.
 * Every rule answers, so that a deny hides no other answer; the strictest outcome decides.
 * @throws InvalidProfile
 */
export function evaluatePolicy(request: CheckRequest, profile = defaultProfile): CheckResponse {
  let decision: Outcome = 'allow';
  const rules: RuleDecision[] = [];
  for (const rule of compileProfile(profile).rules) {
    const answer = rule.decide(request);
    if (answer === undefined) continue;
    decision = stricter(decision, answer.outcome);
    rules.push(answer);
  }
  return { decision, rules };
}
