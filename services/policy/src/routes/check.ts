import { DIGEST_HEADER, POLICY_PATHS } from '@gatehouse/contracts';
import {
  evaluate,
  toExplanation,
  toResponse,
  validateCheckRequest,
} from '@gatehouse/policy-engine';
import { type Server, validatedBy } from '@gatehouse/service';
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
      const { body: check, caller, query } = request;
      const evaluation = evaluate(check, inForce.for(caller));
      report.single(request, { check, evaluation });
      reply.header(DIGEST_HEADER, evaluation.digest).send({
        ...toResponse(evaluation),
        ...(query.explain === 'true' && { explanation: toExplanation(evaluation) }),
      });
    },
  );
}
