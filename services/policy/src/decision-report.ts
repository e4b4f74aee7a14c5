import type { CheckRequest, CheckResponse, Violation } from '@gatehouse/contracts';
import { compileProfile, decisionRecordMembers, type Profile } from '@gatehouse/policy-engine';
import { addLogFields, type Request, type Telemetry } from '@gatehouse/service';
import { decisionCounter } from './decision-metrics.ts';

interface ReportDeps {
  readonly telemetry: Telemetry;
  readonly logAmounts: boolean;
}

/** Logs, counts and traces decisions. */
export function decisionReporter({ telemetry, logAmounts }: ReportDeps) {
  const { metrics, tracing } = telemetry;
  const count = decisionCounter(metrics);
  const recordOf = (check: CheckRequest, response: CheckResponse, by: Profile, named: boolean) => {
    const members = decisionRecordMembers(check, response, by, named);
    if (!logAmounts || check.spend == null) return members;
    return `${members},"spend":${JSON.stringify(check.spend)}`;
  };
  const single = (
    request: Request,
    check: CheckRequest,
    response: CheckResponse,
    profile: Profile,
  ) => {
    addLogFields(request, 'check', recordOf(check, response, profile, true));
    count(response);
    tracing?.spanOf(request)?.set({ 'policy.decision': response.decision });
  };
  const batch = (request: Request, judged: readonly Judged[], profile: Profile) => {
    const checks = judged.map((each) => {
      if (!each.ok) return '{"code":"InvalidRequest"}';
      count(each.response);
      return `{${recordOf(each.check, each.response, profile, false)}}`;
    });
    const named = `"profile":"${profile.name}","digest":"${compileProfile(profile).digest}"`;
    addLogFields(request, 'checks', `${named},"checks":[${checks.join()}]`);
  };
  return { single, batch };
}

/** A check of a batch. */
export type Judged =
  | { readonly ok: true; readonly check: CheckRequest; readonly response: CheckResponse }
  | { readonly ok: false; readonly violations: readonly Violation[] };
