import { OUTCOMES, RULES } from '@gatehouse/contracts';
import type { Ruling } from '@gatehouse/policy-engine';
import type { Counter, Metrics } from '@gatehouse/service';

/** Counts decisions and the outcomes of each rule. */
export function decisionCounter(metrics: Metrics): (ruling: Ruling) => void {
  const decisions = metrics.counter({
    name: 'policy.decisions',
    unit: '{decision}',
    help: 'Answered checks, by their overall decision.',
    labels: ['decision'],
  });
  const outcomes = metrics.counter({
    name: 'policy.rule_outcomes',
    unit: '{outcome}',
    help: 'Rule outcomes, by rule and outcome.',
    labels: ['rule', 'outcome'],
  });
  // So that each shows 0 from the start.
  for (const outcome of OUTCOMES) decisions.with(outcome);
  for (const rule of RULES) for (const outcome of OUTCOMES) outcomes.with(rule, outcome);
  const countersOf = new WeakMap<Ruling, readonly Counter[]>();
  return (ruling) => {
    let counters = countersOf.get(ruling);
    if (counters === undefined) {
      const { decision, reasons } = ruling;
      const ofRules = reasons.map(({ rule, outcome }) => outcomes.with(rule, outcome));
      counters = [decisions.with(decision), ...ofRules];
      countersOf.set(ruling, counters);
    }
    for (const counter of counters) counter.add();
  };
}
