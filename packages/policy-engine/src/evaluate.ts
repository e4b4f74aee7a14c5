import type { CheckRequest, CheckResponse, Outcome, RuleDecision } from '@gatehouse/contracts';
import { compileProfile } from './compile.ts';
import { defaultProfile } from './profile/default.ts';
import { stricter } from './rule.ts';

export interface Judgement {
  readonly response: CheckResponse;
  /** What a record has of each rule: members of an object in JSON. */
  readonly reasons: string;
  /** What it has of each section: members in JSON, each behind a comma. */
  readonly sections: string;
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
  let reasons = '';
  let sections = '';
  for (const { rule, judge, detail, section } of compileProfile(profile).rules) {
    const reason = judge(request);
    if (reason === undefined) continue;
    const { outcome } = reason;
    decision = stricter(decision, outcome);
    rules.push({ rule, outcome, detail: detail(request, reason) });
    reasons += reasons === '' ? reason.member : `,${reason.member}`;
    sections += section(request);
  }
  return { response: { decision, rules }, reasons, sections };
}
