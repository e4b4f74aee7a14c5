import type { CheckRequest } from '@gatehouse/contracts';
import { type CompiledProfile, decisionRecord, type Evaluation } from '@gatehouse/policy-engine';
import { addLogFields, type ProblemReply, type Request, type Telemetry } from '@gatehouse/service';
import { decisionCounter } from './policy-metrics.ts';

/** A check and what the rules say about it. */
export interface EvaluatedCheck {
  readonly check: CheckRequest;
  readonly evaluation: Evaluation;
}

/** One entry of a batch: an evaluated check, or the problem it gets instead. */
export type BatchEntry =
  | ({ readonly ok: true } & EvaluatedCheck)
  | { readonly ok: false; readonly problem: ProblemReply };

/** Logs, counts and traces decisions. */
export function decisionReporter({ registry }: Telemetry, logAmounts: boolean) {
  const count = decisionCounter(registry);
  const recordOf = ({ check, evaluation }: EvaluatedCheck) => {
    const record = decisionRecord(check, evaluation);
    return logAmounts && check.spend != null ? { ...record, spend: check.spend } : record;
  };
  const single = (request: Request, evaluated: EvaluatedCheck) => {
    const { evaluation } = evaluated;
    addLogFields(request, 'check', recordOf(evaluated));
    count(evaluation);
    request.span?.set({ 'policy.decision': evaluation.decision });
  };
  const batch = (request: Request, entries: readonly BatchEntry[], by: CompiledProfile) => {
    const checks = entries.map((entry) => {
      if (!entry.ok) return { code: entry.problem.code };
      count(entry.evaluation);
      // The line names the profile once, and JSON leaves undefined members out.
      return { ...recordOf(entry), profile: undefined, digest: undefined };
    });
    const { profile, digest } = by;
    addLogFields(request, 'checks', { profile: profile.name, digest, checks });
  };
  return { single, batch };
}
