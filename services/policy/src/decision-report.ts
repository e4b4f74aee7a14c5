import type { CheckRequest } from '@gatehouse/contracts';
import {
  compileProfile,
  decisionRecordMembers,
  type Judgement,
  type Profile,
} from '@gatehouse/policy-engine';
import { addLogFields, type ProblemError, type Request, type Telemetry } from '@gatehouse/service';
import { decisionCounter } from './policy-metrics.ts';

/** Logs, counts and traces decisions. */
export function decisionReporter({ metrics }: Telemetry, logAmounts: boolean) {
  const count = decisionCounter(metrics);
  const recordOf = (check: CheckRequest, judgement: Judgement, by: Profile, named: boolean) => {
    const members = decisionRecordMembers(check, judgement, by, named);
    if (!logAmounts || check.spend == null) return members;
    return `${members},"spend":${JSON.stringify(check.spend)}`;
  };
  const single = (
    request: Request,
    check: CheckRequest,
    judgement: Judgement,
    profile: Profile,
  ) => {
    addLogFields(request, 'check', recordOf(check, judgement, profile, true));
    count(judgement.ruling);
    request.span?.set({ 'policy.decision': judgement.ruling.decision });
  };
  const batch = (request: Request, judged: readonly Judged[], profile: Profile) => {
    const checks = judged.map((each) => {
      if (!each.ok) return `{"code":"${each.problem.code}"}`;
      count(each.judgement.ruling);
      return `{${recordOf(each.check, each.judgement, profile, false)}}`;
    });
    const { recordHead } = compileProfile(profile);
    addLogFields(request, 'checks', `${recordHead}"checks":[${checks.join()}]`);
  };
  return { single, batch };
}

/** A check of a batch. */
export type Judged =
  | { readonly ok: true; readonly check: CheckRequest; readonly judgement: Judgement }
  | { readonly ok: false; readonly problem: ProblemError };
