import type { CheckRequest, CheckResponse } from '@gatehouse/contracts';
import { decisionRecord, type Profile } from '@gatehouse/policy-engine';
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
  return (
    request: Request,
    check: CheckRequest,
    response: CheckResponse,
    profile: Profile,
  ): void => {
    const record = decisionRecord(check, response, profile);
    const fields = logAmounts ? { ...record, spend: check.spend ?? undefined } : record;
    addLogFields(request, 'check', fields);
    count(response);
    tracing?.spanOf(request)?.set({ 'policy.decision': response.decision });
  };
}
