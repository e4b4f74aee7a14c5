import { OUTCOMES, RULES } from '@gatehouse/contracts';
import { compileProfile, type Evaluation } from '@gatehouse/policy-engine';
import type { Metrics } from '@gatehouse/service';
import type { ProfilesInForce } from './profiles/in-force.ts';

/** Counts decisions and the outcomes of each rule. */
export function decisionCounter(metrics: Metrics): (evaluation: Evaluation) => void {
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
  // Shows each series as 0 from the start.
  for (const outcome of OUTCOMES) decisions.with(outcome);
  for (const rule of RULES) for (const outcome of OUTCOMES) outcomes.with(rule, outcome);
  return ({ decision, rules }) => {
    decisions.with(decision).add();
    for (const { rule, outcome } of rules) outcomes.with(rule, outcome).add();
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
