import { DIGEST_HEADER, POLICY_PATHS } from '@gatehouse/contracts';
import {
  compileProfile,
  explainPolicy,
  judgePolicy,
  responseText,
  validateCheckRequest,
} from '@gatehouse/policy-engine';
import { type Server, sendJson, validatedBy } from '@gatehouse/service';
import type { decisionReporter } from '../decision-report.ts';
import { checkSchema } from '../documentation.ts';
import type { ProfilesInForce } from '../profiles/in-force.ts';

export interface CheckDeps {
  readonly inForce: ProfilesInForce;
  readonly report: ReturnType<typeof decisionReporter>;
}

/** Contract, section 1: bodies of checks are small. */
export const MAX_CHECK_BYTES = 64 * 1024;

/** `POST /policy/check` (spec section 4). A deny is a 200 too: the service succeeded. */
export function serveCheck(app: Server, { inForce, report }: CheckDeps): void {
  app.post(
    POLICY_PATHS.check,
    { schema: checkSchema, validatorCompiler: validatedBy(validateCheckRequest, 'InvalidRequest') },
    (request, reply) => {
      const { body, caller, query } = request;
      const profile = inForce.for(caller);
      const judgement = judgePolicy(body, profile);
      report.single(request, body, judgement, profile);
      reply.header(DIGEST_HEADER, compileProfile(profile).digest);
      const explanation = query.explain === 'true' ? explainPolicy(body, profile) : undefined;
      sendJson(reply, responseText(judgement, explanation));
    },
  );
}
