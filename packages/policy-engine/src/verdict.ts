import type { Outcome } from '@gatehouse/contracts';
import { type Answer, type RuleReason, stricter } from './rule.ts';

/** What the reasons of all rules amount to. */
export interface Verdict {
  readonly decision: Outcome;
  readonly reasons: readonly RuleReason[];
  /** The decision and the reasons as a record has them: members of an object in JSON. */
  readonly record: string;
}

/** More than there are reasons. */
const PLACES = 256;

/** Reasons have few combinations (hundreds); the verdict on each is made once. */
export function verdicts(): (answers: readonly Answer[]) => Verdict {
  const made = new Map<number, Verdict>();
  return (answers) => {
    let combination = 0;
    for (const { reason } of answers) combination = combination * PLACES + reason.place;
    const known = made.get(combination);
    if (known !== undefined) return known;
    const verdict = verdictOf(answers.map(({ reason }) => reason));
    made.set(combination, verdict);
    return verdict;
  };
}

/** The strictest outcome decides. */
function verdictOf(reasons: readonly RuleReason[]): Verdict {
  const decision = reasons.map(({ outcome }) => outcome).reduce(stricter, 'allow');
  const rules = reasons.map(({ rule, outcome, code }) => [rule, { outcome, code }] as const);
  const record = JSON.stringify({ decision, rules: Object.fromEntries(rules) }).slice(1, -1);
  return { decision, reasons, record };
}
