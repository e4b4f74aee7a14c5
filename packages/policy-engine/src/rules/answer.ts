import type { Outcome, RuleDecision, RuleName } from '@gatehouse/contracts';

/** One rule's answer: every outcome comes with its reason. */
export function answer(rule: RuleName, outcome: Outcome, detail: string): RuleDecision {
  return { rule, outcome, detail };
}
