import { OUTCOMES, RULES } from '@gatehouse/contracts';
import { compileProfile, type Ruling } from '@gatehouse/policy-engine';
import type { Counter, Metrics } from '@gatehouse/service';
import type { ProfilesInForce } from './profiles/in-force.ts';

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

/** One series for each profile in force. */
export function measureProfiles(metrics: Metrics, inForce: ProfilesInForce): void {
  const definition = {
    name: 'policy.profile.info',
    unit: '{profile}',
    help: 'The profiles in force, each with its version and digest; always 1.',
    labels: ['profile', 'version', 'digest'],
  };
  metrics.readOnExport('gauge', definition, () =>
    inForce.current.all.map((profile) => {
      const { name, version } = profile;
      return [{ profile: name, version, digest: compileProfile(profile).digest }, 1] as const;
    }),
  );
}
