import type { CheckRequest, CheckResponse, Violation } from '@gatehouse/contracts';
import { compileProfile, decisionRecord, type Profile } from '@gatehouse/policy-engine';
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
  const single = (
    request: Request,
    check: CheckRequest,
    response: CheckResponse,
    profile: Profile,
  ) => {
    addLogFields(request, 'check', recordOf(check, response, profile, logAmounts));
    count(response);
    tracing?.spanOf(request)?.set({ 'policy.decision': response.decision });
  };
  const batch = (request: Request, judged: readonly Judged[], profile: Profile) => {
    const checks = judged.map((each) => {
      if (!each.ok) return { code: 'InvalidRequest' };
      count(each.response);
      // The line names profile and digest once.
      const record = recordOf(each.check, each.response, profile, logAmounts);
      return { ...record, profile: undefined, digest: undefined };
    });
    const { digest } = compileProfile(profile);
    addLogFields(request, 'checks', { profile: profile.name, digest, checks });
  };
  return { single, batch };
}

/** A check of a batch. */
export type Judged =
  | { readonly ok: true; readonly check: CheckRequest; readonly response: CheckResponse }
  | { readonly ok: false; readonly violations: readonly Violation[] };

function recordOf(
  check: CheckRequest,
  response: CheckResponse,
  profile: Profile,
  logAmounts: boolean,
) {
  const record = decisionRecord(check, response, profile);
  return logAmounts ? { ...record, spend: check.spend ?? undefined } : record;
}
