import { CheckRequest, CheckResponse, POLICY_PATHS } from '@gatehouse/contracts';
import { evaluatePolicy, type Profile, validateCheckRequest } from '@gatehouse/policy-engine';
import {
  addLogFields,
  type LogFields,
  type Server,
  type Telemetry,
  validatedBy,
} from '@gatehouse/service';
import { decisionRecorder } from '../decision-metrics.ts';

/** `POST /policy/check` (spec `policy-service.md` section 4). A deny is a 200, too. */
export function serveCheck(
  app: Server,
  profile: Profile,
  { metrics, tracing }: Telemetry,
  logAmounts: boolean,
): void {
  const record = decisionRecorder(metrics);
  app.post(
    POLICY_PATHS.check,
    {
      schema: { body: CheckRequest, response: { 200: CheckResponse } },
      validatorCompiler: validatedBy(validateCheckRequest, 'InvalidRequest'),
    },
    (request, reply) => {
      const response = evaluatePolicy(request.body, profile);
      addLogFields(request, 'check', logFieldsOf(request.body, response, logAmounts));
      record(response);
      tracing?.spanOf(request)?.set({ 'policy.decision': response.decision });
      reply.send(response);
    },
  );
}

/** The outcome of each rule, without its detail, which may show an amount. */
function logFieldsOf(
  { request_id, spend }: CheckRequest,
  { decision, rules }: CheckResponse,
  logAmounts: boolean,
): LogFields {
  const fields: Record<string, unknown> = { caller_request_id: request_id ?? undefined, decision };
  for (const { rule, outcome } of rules) fields[rule] = outcome;
  if (logAmounts) fields.spend = spend ?? undefined;
  return fields;
}
