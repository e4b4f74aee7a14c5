import { DECISIONS, RULES } from '@gatehouse/contracts';
import { compileProfile, type Evaluation } from '@gatehouse/policy-engine';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { ProfilesInForce } from './profiles/in-force.ts';

/** Counts decisions and the outcomes of each rule; each is exported from the start, at zero. */
export function decisionCounter(registry: Registry): (evaluation: Evaluation) => void {
  const decisions = new Counter({
    name: 'policy_decisions_total',
    help: 'Answered checks, by their overall decision.',
    labelNames: ['decision'],
    registers: [registry],
  });
  const outcomes = new Counter({
    name: 'policy_rule_outcomes_total',
    help: 'Rule outcomes, by rule and outcome.',
    labelNames: ['rule', 'outcome'],
    registers: [registry],
  });
  for (const decision of DECISIONS) decisions.inc({ decision }, 0);
  for (const rule of RULES) for (const outcome of DECISIONS) outcomes.inc({ rule, outcome }, 0);
  return ({ decision, rules }) => {
    decisions.inc({ decision });
    for (const { rule, outcome } of rules) outcomes.inc({ rule, outcome });
  };
}

/** Exports one series for each profile in force. */
export function measureProfiles(registry: Registry, inForce: ProfilesInForce): void {
  new Gauge({
    name: 'policy_profile_info',
    help: 'The profiles in force, each with its version and digest; always 1.',
    labelNames: ['profile', 'version', 'digest'],
    registers: [registry],
    collect() {
      this.reset();
      for (const profile of inForce.current.all) {
        const { name, version } = profile;
        this.set({ profile: name, version, digest: compileProfile(profile).digest }, 1);
      }
    },
  });
}
