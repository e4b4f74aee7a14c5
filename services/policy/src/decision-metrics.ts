import { type CheckResponse, OUTCOMES, type Outcome, RULES } from '@gatehouse/contracts';
import type { Counter, Family, Metrics } from '@gatehouse/service';

/** Counts decisions and the outcomes of each rule; the counters are bound at start. */
export function decisionCounter(metrics: Metrics): (response: CheckResponse) => void {
  const decisions = perOutcome(
    metrics.counter({
      name: 'policy.decisions',
      unit: '{decision}',
      help: 'Answered checks, by their overall decision.',
      labels: ['decision'],
    }),
  );
  const outcomes = metrics.counter({
    name: 'policy.rule_outcomes',
    unit: '{outcome}',
    help: 'Rule outcomes, by rule and outcome.',
    labels: ['rule', 'outcome'],
  });
  const byRule = new Map(RULES.map((rule) => [rule, perOutcome(outcomes, rule)]));
  return ({ decision, rules }) => {
    decisions[decision].add();
    for (const { rule, outcome } of rules) byRule.get(rule)?.[outcome].add();
  };
}

function perOutcome(family: Family<Counter>, ...labels: readonly string[]) {
  const bound = OUTCOMES.map((outcome) => [outcome, family.with(...labels, outcome)] as const);
  return Object.fromEntries(bound) as Record<Outcome, Counter>;
}
