import type { Outcome } from '@gatehouse/contracts';
import { stricter } from './outcome.ts';

/** What a set of labels amounts to, and why. */
export interface LabelJudgement {
  readonly outcome: Outcome;
  readonly detail: string;
}

/**
 * Judges labels by the strictest of their outcomes; their order and repetition make no
 * difference.
 */
export type LabelPolicy = (labels: readonly string[]) => LabelJudgement;

/**
 * A policy over a closed vocabulary of n labels (7 and 5 in the contract). Such a policy
 * has only 2^n different answers, so all of them, sentences included, are worked out
 * here, and judging is one look-up by bit set. `noun` says in the plural what the labels
 * are.
 */
export function labelPolicy(
  noun: string,
  outcomes: Readonly<Record<string, Outcome>>,
): LabelPolicy {
  const entries = Object.entries(outcomes);
  const bits = new Map(entries.map(([label], index) => [label, 1 << index]));
  const judgements = Array.from({ length: 1 << entries.length }, (_, set) =>
    judge(
      noun,
      entries.filter((_, index) => set & (1 << index)),
    ),
  );
  const unknown: LabelJudgement = {
    outcome: 'deny',
    detail: `${noun}: one is unknown to the policy and denied.`,
  };
  return (labels) => {
    let set = 0;
    for (const label of labels) {
      const bit = bits.get(label);
      if (bit === undefined) return unknown;
      set |= bit;
    }
    return judgements[set] ?? unknown;
  };
}

function judge(noun: string, entries: readonly [string, Outcome][]): LabelJudgement {
  if (entries.length === 0) return { outcome: 'allow', detail: `${noun}: none claimed.` };
  const given = `${noun}: ${entries.map(([label]) => label).join(', ')}`;
  const strictest = entries.map(([, outcome]) => outcome).reduce(stricter);
  if (strictest === 'allow') return { outcome: strictest, detail: `${given}. All are allowed.` };
  const decisive = entries.filter(([, outcome]) => outcome === strictest).map(([label]) => label);
  const verdict = strictest === 'deny' ? 'Denied' : 'Approval is needed';
  return { outcome: strictest, detail: `${given}. ${verdict} because of ${decisive.join(', ')}.` };
}
