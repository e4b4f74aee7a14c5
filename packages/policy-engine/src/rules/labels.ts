import type { Outcome, RuleDecision, RuleName } from '@gatehouse/contracts';
import type { LabelOutcomes } from '../profile.ts';
import { stricter } from '../rule.ts';

const VERDICTS = { deny: 'Denied', require_approval: 'Approval is needed' };
const UNKNOWN = { deny: 'denied', require_approval: 'needs approval' };

/** Judges labels by their strictest outcome, in any order; `noun` is their plural. */
export function labelJudge(rule: RuleName, noun: string, { outcomes, unknown }: LabelOutcomes) {
  const entries = Object.entries(outcomes);
  const known = new Map(entries);
  return (labels: readonly string[]): RuleDecision => {
    if (labels.length === 0) return { rule, outcome: 'allow', detail: `${noun}: none claimed.` };
    let outcome: Outcome = 'allow';
    for (const label of labels) outcome = stricter(outcome, known.get(label) ?? unknown);

    // Appending takes half the time of `filter` and `join`.
    let given = '';
    let decisive = '';
    for (const [label, own] of entries) {
      if (!labels.includes(label)) continue;
      given = append(given, label);
      if (own === outcome) decisive = append(decisive, label);
    }
    return { rule, outcome, detail: `${noun}: ${reason(outcome, given, decisive)}.` };
  };
}

function reason(outcome: Outcome, given: string, decisive: string): string {
  if (outcome === 'allow') return `${given}. All are allowed`;
  if (decisive === '') return `one is unknown to the policy and ${UNKNOWN[outcome]}`;
  return `${given}. ${VERDICTS[outcome]} because of ${decisive}`;
}

function append(list: string, label: string): string {
  return list === '' ? label : `${list}, ${label}`;
}
