import { OUTCOMES, RULES } from '@gatehouse/contracts';
import type { Verdict } from '@gatehouse/policy-engine';
import type { Counter, Metrics } from '@gatehouse/service';

/** Counts decisions and the outcomes of each rule; all counters are there from the start. */
export function decisionCounter(metrics: Metrics): (verdict: Verdict) => void {
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
  for (const outcome of OUTCOMES) decisions.with(outcome);
  for (const rule of RULES) for (const outcome of OUTCOMES) outcomes.with(rule, outcome);
  const known = new WeakMap<Verdict, readonly Counter[]>();
  return (verdict) => {
    let counters = known.get(verdict);
    if (counters === undefined) {
      const { decision, reasons } = verdict;
      const ofRules = reasons.map(({ rule, outcome }) => outcomes.with(rule, outcome));
      counters = [decisions.with(decision), ...ofRules];
      known.set(verdict, counters);
    }
    for (const counter of counters) counter.add();
  };
}
