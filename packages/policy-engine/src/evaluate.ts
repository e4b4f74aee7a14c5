import type { CheckRequest, CheckResponse, Explanation } from '@gatehouse/contracts';
import { compileProfile } from './compile.ts';
import { defaultProfile } from './profile/default.ts';
import type { Answer } from './rule.ts';
import type { Ruling } from './ruling.ts';

/** What the rules say of a request; its response and its record are made from it. */
export interface Judgement {
  readonly ruling: Ruling;
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
  const { rules, rulingOn } = compileProfile(profile);
  const answers: Answer[] = [];
  for (const rule of rules) {
    const answer = rule.answer(request);
    if (answer !== undefined) answers.push(answer);
  }
  return { ruling: rulingOn(answers), answers };
}

export function responseOf({ ruling, answers }: Judgement): CheckResponse {
  const rules = answers.map(({ reason: { rule, outcome }, detail }) => ({ rule, outcome, detail }));
  return { decision: ruling.decision, rules };
}

/** As `responseOf`, in JSON; joined from texts that are made in advance. */
export function responseText({ ruling, answers }: Judgement, explanation?: Explanation): string {
  let entries = '';
  for (const { entry } of answers) entries += entries === '' ? entry : `,${entry}`;
  const more = explanation === undefined ? '' : `,"explanation":${JSON.stringify(explanation)}`;
  return `{"decision":"${ruling.decision}","rules":[${entries}]${more}}`;
}
