import { type CheckRequest, DECISIONS, RULES } from '@gatehouse/contracts';
import { type CompiledProfile, decisionRecord, type Evaluation } from '@gatehouse/policy-engine';
import { addLogFields, type ProblemReply, type Request, type Telemetry } from '@gatehouse/service';
import { Counter, type Registry } from 'prom-client';

export interface EvaluatedCheck {
  readonly check: CheckRequest;
  readonly evaluation: Evaluation;
}

/** Entry of a batch: an evaluated check or its problem. */
export type BatchEntry = EvaluatedCheck | { readonly problem: ProblemReply };

export interface DecisionReport {
  readonly single: (request: Request, evaluated: EvaluatedCheck) => void;
  readonly batch: (request: Request, entries: readonly BatchEntry[], by: CompiledProfile) => void;
}

/** Logs, counts and traces decisions. */
export function decisionReport({ registry }: Telemetry, logAmounts: boolean): DecisionReport {
  const count = decisionCounter(registry);
  const recordOf = ({ check, evaluation }: EvaluatedCheck) => {
    const record = decisionRecord(check, evaluation);
    return logAmounts && check.spend != null ? { ...record, spend: check.spend } : record;
  };
  return {
    single: (request, evaluated) => {
      const { evaluation } = evaluated;
      count(evaluation);
      addLogFields(request, 'check', recordOf(evaluated));
      request.span?.set({ 'policy.decision': evaluation.decision });
    },
    batch: (request, entries, { profile, digest }) => {
      const checks = entries.map((entry) => {
        if ('problem' in entry) return { code: entry.problem.code };
        count(entry.evaluation);
        // The line names the profile once. JSON omits undefined members.
        return { ...recordOf(entry), profile: undefined, digest: undefined };
      });
      addLogFields(request, 'checks', { profile: profile.name, digest, checks });
    },
  };
}

/** Counts decisions and rule outcomes. Each is exported from the start, at zero. */
function decisionCounter(registry: Registry): (evaluation: Evaluation) => void {
  const decisions = new Counter({
    name: 'policy_decisions_total',
    help: 'Checks, by their decision.',
    labelNames: ['decision'],
    registers: [registry],
  });
  const outcomes = new Counter({
    name: 'policy_rule_outcomes_total',
    help: 'Outcomes of each rule.',
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
