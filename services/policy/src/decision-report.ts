import { DECISIONS, RULES } from '@gatehouse/contracts';
import {
  type Check,
  type CompiledProfile,
  decisionRecord,
  type Evaluation,
  type Profile,
} from '@gatehouse/policy';
import {
  addLogFields,
  openSpan,
  type ProblemReply,
  type Request,
  type Telemetry,
} from '@gatehouse/service';
import { Counter, type Registry } from 'prom-client';
import type { BoundDecision } from './signing/bind.ts';

interface EvaluatedCheck {
  readonly check: Check;
  readonly bound: BoundDecision;
}

export type BatchEntry = EvaluatedCheck | { readonly problem: ProblemReply };

export type DecisionReport = ReturnType<typeof decisionReport>;

/** Logs, counts and traces decisions. `profile` is the default profile. */
export function decisionReport({ registry }: Telemetry, logAmounts: boolean, profile: Profile) {
  const count = decisionCounter(registry, profile);
  const recordOf = ({ check, bound: { evaluation, approvalId } }: EvaluatedCheck) => {
    const approved = approvalId !== undefined && { approval_id: approvalId };
    return { ...decisionRecord(check, evaluation, logAmounts), ...approved };
  };
  return {
    single: (request: Request, evaluated: EvaluatedCheck): void => {
      const { evaluation } = evaluated.bound;
      count(evaluation, request.caller);
      addLogFields(request, 'check', recordOf(evaluated));
      openSpan(request)?.setAttribute('policy.decision', evaluation.decision);
    },
    batch: (request: Request, entries: readonly BatchEntry[], by: CompiledProfile): void => {
      const checks = entries.map((entry) => {
        if ('problem' in entry) return { code: entry.problem.code };
        count(entry.bound.evaluation, request.caller);
        // Omit `profile` and `digest`, because the batch's log line already contains them.
        return { ...recordOf(entry), profile: undefined, digest: undefined };
      });
      addLogFields(request, 'checks', { profile: by.profile.name, digest: by.digest, checks });
    },
  };
}

/**
 * Counts decisions and rule outcomes. For the default profile, exports counts of 0 even before the
 * first check.
 */
function decisionCounter(registry: Registry, { name, actions }: Profile) {
  const registers = [registry];
  const decisions = new Counter({
    name: 'policy_decisions_total',
    help: 'Number of checks, by decision, profile and caller. The `caller` label is empty if the caller has no name.',
    labelNames: ['decision', 'caller', 'profile'],
    registers,
  });
  const outcomes = new Counter({
    name: 'policy_rule_outcomes_total',
    help: 'Number of checks, by rule, outcome, profile and caller. The `caller` label is empty if the caller has no name.',
    labelNames: ['rule', 'outcome', 'caller', 'profile'],
    registers,
  });
  const unnamed = { caller: '', profile: name };
  for (const decision of DECISIONS) decisions.inc({ decision, ...unnamed }, 0);
  for (const rule of RULES.filter((each) => each !== 'http_action' || actions !== undefined))
    for (const outcome of DECISIONS) outcomes.inc({ rule, outcome, ...unnamed }, 0);
  return ({ decision, rules, profile }: Evaluation, caller = ''): void => {
    decisions.inc({ decision, caller, profile });
    for (const { rule, outcome } of rules) outcomes.inc({ rule, outcome, caller, profile });
  };
}
