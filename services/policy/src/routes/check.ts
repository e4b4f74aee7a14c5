import { CheckRequest, CheckResponse, POLICY_PATHS } from '@gatehouse/contracts';
import { evaluatePolicy, type Profile, validateCheckRequest } from '@gatehouse/policy-engine';
import { type Server, validatedBy } from '@gatehouse/service';

/** `POST /policy/check` (spec `policy-service.md` section 4). A deny is a 200 too: the check succeeded. */
export function serveCheck(app: Server, profile: Profile): void {
  app.post(
    POLICY_PATHS.check,
    {
      schema: { body: CheckRequest, response: { 200: CheckResponse } },
      validatorCompiler: validatedBy(validateCheckRequest, 'InvalidRequest'),
    },
    (request) => evaluatePolicy(request.body, profile),
  );
}
