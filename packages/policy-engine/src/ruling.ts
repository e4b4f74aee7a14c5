import { OUTCOMES, type Outcome, REASON_CODES, RULES } from '@gatehouse/contracts';
import { type Answer, type RuleReason, stricter } from './rule.ts';

/** What the reasons of all rules amount to. */
export interface Ruling {
  readonly decision: Outcome;
  readonly reasons: readonly RuleReason[];
  /** The decision and the reasons as a record has them: members of an object in JSON. */
  readonly record: string;
}

/** INVARIANT: above the place of any reason; two combinations would share a ruling. */
const PLACES = RULES.length * OUTCOMES.length * REASON_CODES.length + 1;

/** Reasons have few combinations (hundreds); a ruling on each is made once, and frozen. */
export function rulings(): (answers: readonly Answer[]) => Ruling {
  const made = new Map<number, Ruling>();
  return (answers) => {
    let combination = 0;
    for (const { reason } of answers) combination = combination * PLACES + reason.place;
    const known = made.get(combination);
    if (known !== undefined) return known;
    const ruling = rulingOf(answers.map(({ reason }) => reason));
    made.set(combination, ruling);
    return ruling;
  };
}

/** The strictest outcome decides. */
function rulingOf(reasons: readonly RuleReason[]): Ruling {
  const decision = reasons.map(({ outcome }) => outcome).reduce(stricter, 'allow');
  const rules = reasons.map(({ rule, outcome, code }) => [rule, { outcome, code }] as const);
  const record = JSON.stringify({ decision, rules: Object.fromEntries(rules) }).slice(1, -1);
  return Object.freeze({ decision, reasons: Object.freeze(reasons), record });
}
