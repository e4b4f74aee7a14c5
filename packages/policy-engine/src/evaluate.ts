import type { CheckRequest, CheckResponse } from '@gatehouse/contracts';
import { compileProfile } from './compile.ts';
import { defaultProfile } from './profile/default.ts';
import type { Answer } from './rule.ts';
import type { Verdict } from './verdict.ts';

/** From which a response and a record are made. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly answers: readonly Answer[];
}

/**
 * Judges a request that matches the `CheckRequest` schema; for any other use `checkPolicy`.
 * @throws InvalidProfile
 */
export function evaluatePolicy(request: CheckRequest, profile = defaultProfile): CheckResponse {
  return responseOf(judgePolicy(request, profile));
}

/**
 * As `evaluatePolicy`, with what a record needs. Every rule answers, so that a deny hides
 * no other answer; the strictest outcome decides.
 * @throws InvalidProfile
 */
export function judgePolicy(request: CheckRequest, profile = defaultProfile): Judgement {
  const { rules, verdictOn } = compileProfile(profile);
  const answers: Answer[] = [];
  for (const rule of rules) {
    const answer = rule.answer(request);
    if (answer !== undefined) answers.push(answer);
  }
  return { verdict: verdictOn(answers), answers };
}

export function responseOf({ verdict, answers }: Judgement): CheckResponse {
  const rules = answers.map(({ reason: { rule, outcome }, detail }) => ({ rule, outcome, detail }));
  return { decision: verdict.decision, rules };
}

/** The response in JSON, faster than `JSON.stringify` would make it. */
export function responseText({ verdict, answers }: Judgement): string {
  let entries = '';
  for (const { entry } of answers) entries += entries === '' ? entry : `,${entry}`;
  return `{"decision":"${verdict.decision}","rules":[${entries}]}`;
}
