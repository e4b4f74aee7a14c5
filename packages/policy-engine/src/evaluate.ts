import type { CheckRequest, CheckResponse, Outcome, RuleDecision } from '@gatehouse/contracts';
import { compileProfile } from './compile.ts';
import { defaultProfile, type Profile } from './profile.ts';
import { stricter } from './rule.ts';

/**
 * Judges a request that is known to match the `CheckRequest` schema; for anything else use
 * `checkPolicy`. Every rule answers, so that a deny never hides another answer. The
 * strictest outcome is the overall decision.
 */
export function evaluatePolicy(
  request: CheckRequest,
  profile: Profile = defaultProfile,
): CheckResponse {
  let decision: Outcome = 'allow';
  const rules: RuleDecision[] = [];
  for (const rule of compileProfile(profile)) {
    const answer = rule(request);
    if (answer === undefined) continue;
    decision = stricter(decision, answer.outcome);
    rules.push(answer);
  }
  return { decision, rules };
}
