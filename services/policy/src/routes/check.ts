import { type CheckRequest, type CheckResponse, POLICY_PATHS } from '@gatehouse/contracts';
import { evaluatePolicy, type Profile, validateCheckRequest } from '@gatehouse/policy-engine';
import {
  addLogFields,
  type Request,
  type Server,
  type Telemetry,
  validatedBy,
} from '@gatehouse/service';
import { decisionCounter } from '../decision-metrics.ts';
import { checkSchema } from '../documentation.ts';

interface CheckDeps {
  readonly profile: Profile;
  readonly telemetry: Telemetry;
  readonly logAmounts: boolean;
}

/** `POST /policy/check` (spec section 4). A deny is a 200 too: the service succeeded. */
export function serveCheck(app: Server, { profile, ...deps }: CheckDeps): void {
  const report = reporter(deps);
  app.post(
    POLICY_PATHS.check,
    { schema: checkSchema, validatorCompiler: validatedBy(validateCheckRequest, 'InvalidRequest') },
    (request, reply) => {
      const response = evaluatePolicy(request.body, profile);
      report(request, request.body, response);
      reply.send(response);
    },
  );
}

/** Logs, counts and traces decisions. */
function reporter({ telemetry, logAmounts }: Omit<CheckDeps, 'profile'>) {
  const { metrics, tracing } = telemetry;
  const count = decisionCounter(metrics);
  return (request: Request, check: CheckRequest, response: CheckResponse): void => {
    addLogFields(request, 'check', logFieldsOf(check, response, logAmounts));
    count(response);
    tracing?.spanOf(request)?.set({ 'policy.decision': response.decision });
  };
}

/** The outcome of each rule, without its detail, which may show an amount. */
function logFieldsOf(check: CheckRequest, response: CheckResponse, logAmounts: boolean) {
  const { decision, rules } = response;
  const caller_request_id = check.request_id ?? undefined;
  const fields: Record<string, unknown> = { caller_request_id, decision };
  for (const { rule, outcome } of rules) fields[rule] = outcome;
  if (logAmounts) fields.spend = check.spend ?? undefined;
  return fields;
}
