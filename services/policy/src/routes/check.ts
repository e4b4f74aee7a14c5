import { DIGEST_HEADER, POLICY_PATHS } from '@gatehouse/contracts';
import { type Check, evaluate, readCheck, toExplanation, toResponse } from '@gatehouse/policy';
import { profileFor } from '@gatehouse/policy/files';
import { type Server, strictValidator } from '@gatehouse/service';
import type { DecisionReport } from '../decision-report.ts';
import { checkSchema } from '../documentation.ts';
import type { ProfilesInForce } from '../profile-reload.ts';
import { type BoundDecision, bindDecision } from '../signing/bind.ts';
import type { Signer } from '../signing/signer.ts';

export interface CheckDeps {
  readonly inForce: ProfilesInForce;
  readonly report: DecisionReport;
  readonly signer: Signer | undefined;
}

/** Serves `POST /policy/check` (policy-service.md, section 4). */
export function serveCheck(app: Server, { inForce, report, signer }: CheckDeps): void {
  const validatorCompiler = strictValidator('InvalidRequest', readCheck);
  app.post(
    POLICY_PATHS.check,
    { schema: checkSchema, validatorCompiler },
    async (request, reply) => {
      const { body, caller, query } = request;
      // The validator has replaced the body with what `readCheck` returns.
      const check = body as unknown as Check;
      const evaluated = evaluate(check, profileFor(inForce.current, caller));
      const bound = await bindDecision(check, evaluated, caller, signer);
      report.single(request, { check, bound });
      reply.header(DIGEST_HEADER, evaluated.digest);
      return responseTo(bound, query.explain === 'true');
    },
  );
}

/** Returns the response to a check, alone or in a batch. */
export function responseTo({ evaluation, signed }: BoundDecision, explain: boolean) {
  const explanation = explain ? toExplanation(evaluation) : undefined;
  return { ...toResponse(evaluation), ...(explanation && { explanation }), ...signed };
}
