import type { CheckRequest, Explanation } from '@gatehouse/contracts';
import { compileProfile } from './compile.ts';
import { defaultProfile } from './profile/default.ts';

/**
 * Why each rule answers a request as it does: a code, what was compared, and a remedy.
 * With its remedy applied, a rule allows (contract, section 2).
 * @throws InvalidProfile
 */
export function explainPolicy(request: CheckRequest, profile = defaultProfile): Explanation {
  const { rules, digest } = compileProfile(profile);
  const explained = rules.flatMap(({ answer, explain }) => {
    const reason = answer(request)?.reason;
    if (reason === undefined) return [];
    return [{ rule: reason.rule, code: reason.code, ...explain(request, reason) }];
  });
  return { profile: profile.name, digest, rules: explained };
}
