import type { Outcome } from '@gatehouse/contracts';
import type { LabelOutcomes } from '../profile.ts';
import { stricter } from '../rule.ts';

/** The outcome for a list of labels, and the reason. */
export interface LabelJudgement {
  readonly outcome: Outcome;
  readonly detail: string;
}

const VERDICTS = { deny: 'Denied', require_approval: 'Approval is needed' };
const UNKNOWN = { deny: 'denied', require_approval: 'needs approval' };

/**
 * Judges labels by the strictest of their outcomes, whatever their order and number.
 * `noun` says in the plural what the labels are.
 */
export function labelJudge(
  noun: string,
  { outcomes, unknown }: LabelOutcomes,
): (labels: readonly string[]) => LabelJudgement {
  const entries = Object.entries(outcomes);
  const known = new Map(entries);
  return (labels) => {
    if (labels.length === 0) return { outcome: 'allow', detail: `${noun}: none claimed.` };
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
    return { outcome, detail: `${noun}: ${reason(outcome, given, decisive)}.` };
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
