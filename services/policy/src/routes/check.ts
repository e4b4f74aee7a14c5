import { DIGEST_HEADER, POLICY_PATHS } from '@gatehouse/contracts';
import { type Check, evaluate, readCheck, toExplanation, toResponse } from '@gatehouse/policy';
import { profileFor } from '@gatehouse/policy/files';
import { type Server, strictValidator } from '@gatehouse/service';
import type { DecisionReport } from '../decision-report.ts';
import { checkSchema } from '../documentation.ts';
import type { ProfilesInForce } from '../profile-reload.ts';

export interface CheckDeps {
  readonly inForce: ProfilesInForce;
  readonly report: DecisionReport;
}

/** Serves `POST /policy/check` (policy-service.md, section 4). */
export function serveCheck(app: Server, { inForce, report }: CheckDeps): void {
  const validatorCompiler = strictValidator('InvalidRequest', readCheck);
  app.post(POLICY_PATHS.check, { schema: checkSchema, validatorCompiler }, (request, reply) => {
    const { body, caller, query } = request;
    // The validator has replaced the body with what `readCheck` returns.
    const check = body as unknown as Check;
    const evaluation = evaluate(check, profileFor(inForce.current, caller));
    const explanation = query.explain === 'true' ? toExplanation(evaluation) : undefined;
    report.single(request, { check, evaluation });
    reply.header(DIGEST_HEADER, evaluation.digest);
    reply.send({ ...toResponse(evaluation), ...(explanation && { explanation }) });
  });
}
