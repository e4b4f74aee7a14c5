import { type CheckRequest, DECISIONS, RULES } from '@gatehouse/contracts';
import { type CompiledProfile, decisionRecord, type Evaluation } from '@gatehouse/policy-engine';
import { addLogFields, type ProblemReply, type Request, type Telemetry } from '@gatehouse/service';
import { Counter, type CounterConfiguration, type Registry } from 'prom-client';

interface EvaluatedCheck {
  readonly check: CheckRequest;
  readonly evaluation: Evaluation;
}

/** Entry of a batch: a check with its evaluation, or a problem. */
export type BatchEntry = EvaluatedCheck | { readonly problem: ProblemReply };

export interface DecisionReport {
  readonly single: (request: Request, evaluated: EvaluatedCheck) => void;
  readonly batch: (request: Request, entries: readonly BatchEntry[], by: CompiledProfile) => void;
}

/** Logs, counts and traces decisions. `profile` is the name of the default profile. */
export function decisionReport(
  { registry }: Telemetry,
  logAmounts: boolean,
  profile: string,
): DecisionReport {
  const count = decisionCounter(registry, profile);
  const recordOf = ({ check, evaluation }: EvaluatedCheck) => {
    const record = decisionRecord(check, evaluation);
    return logAmounts && check.spend != null ? { ...record, spend: check.spend } : record;
  };
  return {
    single: (request, evaluated) => {
      const { evaluation } = evaluated;
      count(evaluation, request.caller);
      addLogFields(request, 'check', recordOf(evaluated));
      request.span?.set({ 'policy.decision': evaluation.decision });
    },
    batch: (request, entries, { profile, digest }) => {
      const checks = entries.map((entry) => {
        if ('problem' in entry) return { code: entry.problem.code };
        count(entry.evaluation, request.caller);
        // Omitted, because the log line names the profile once. JSON leaves out undefined members.
        return { ...recordOf(entry), profile: undefined, digest: undefined };
      });
      addLogFields(request, 'checks', { profile: profile.name, digest, checks });
    },
  };
}

/**
 * Counts decisions and rule outcomes. The counters of `profile` are exported from the start, with
 * the value 0.
 */
function decisionCounter(registry: Registry, profile: string) {
  const decisions = counter(registry, {
    name: 'policy_decisions_total',
    help: 'Checks, by decision, by profile, and by caller if the caller has a name.',
    labelNames: ['decision', 'caller', 'profile'],
  });
  const outcomes = counter(registry, {
    name: 'policy_rule_outcomes_total',
    help: 'Outcomes of each rule, by profile, and by caller if the caller has a name.',
    labelNames: ['rule', 'outcome', 'caller', 'profile'],
  });
  for (const decision of DECISIONS) decisions([decision, '', profile], 0);
  for (const rule of RULES)
    for (const outcome of DECISIONS) outcomes([rule, outcome, '', profile], 0);
  return ({ decision, profile, rules }: Evaluation, caller = ''): void => {
    decisions([decision, caller, profile]);
    for (const { rule, outcome } of rules) outcomes([rule, outcome, caller, profile]);
  };
}

/**
 * Counts in a map, and passes the sums to prom-client only when metrics are read. prom-client
 * hashes all labels on each increment, which takes 1.5 times as long.
 */
function counter(registry: Registry, options: CounterConfiguration<string>) {
  const sums = new Map<string, { readonly values: readonly string[]; sum: number }>();
  new Counter({
    ...options,
    registers: [registry],
    collect() {
      this.reset();
      for (const { values, sum } of sums.values()) this.labels(...values).inc(sum);
    },
  });
  return (values: readonly string[], added = 1): void => {
    const key = values.join('\n');
    const known = sums.get(key);
    if (known === undefined) sums.set(key, { values, sum: added });
    else known.sum += added;
  };
}
