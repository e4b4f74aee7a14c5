import { DIGEST_HEADER, POLICY_PATHS } from '@gatehouse/contracts';
import {
  compileProfile,
  explainPolicy,
  judgePolicy,
  type Profile,
  responseText,
  validateCheckRequest,
} from '@gatehouse/policy-engine';
import {
  documentOf,
  invalid,
  type ProblemError,
  parseJsonStrictly,
  type Server,
  sendJson,
  validatedBy,
} from '@gatehouse/service';
import { type Batch, CHECKS, readBatch } from '../batch-body.ts';
import type { Judged } from '../decision-report.ts';
import { batchSchema, MAX_BATCH_BYTES } from '../documentation.ts';
import type { CheckDeps } from './check.ts';

/** `POST /policy/check/batch` (contract, section 2): each check gets what it would alone. */
export function serveBatch(app: Server, { inForce, report }: CheckDeps): void {
  const options = {
    schema: batchSchema,
    bodyLimit: MAX_BATCH_BYTES,
    validatorCompiler: validatedBy(readBatch, 'InvalidRequest'),
  };
  // In a scope of its own: only here may checks arrive as they are written.
  app.register(async (scope) => {
    parseJsonStrictly(scope, new Set([CHECKS]), 'anything');
    scope.post(POLICY_PATHS.batch, options, (request, reply) => {
      const batch = request.body as Batch;
      const { explain } = request.query as { explain?: string };
      const profile = inForce.for(request.caller);
      const judged = batch.checks.map((check, place) =>
        judge(check, batch.problems.get(place), profile),
      );
      report.batch(request, judged, profile);
      const results = judged.map((each) => {
        if (!each.ok) return JSON.stringify(documentOf(each.problem, request.id));
        const explanation = explain === 'true' ? explainPolicy(each.check, profile) : undefined;
        return responseText(each.judgement, explanation);
      });
      reply.header(DIGEST_HEADER, compileProfile(profile).digest);
      sendJson(reply, `{"results":[${results.join()}]}`);
    });
  });
}

/** As a single check: what is wrong with its text comes before what breaks the schema. */
function judge(check: unknown, problem: ProblemError | undefined, profile: Profile): Judged {
  if (problem !== undefined) return { ok: false, problem };
  const checked = validateCheckRequest(check);
  if (!checked.ok) return { ok: false, problem: invalid('InvalidRequest', checked.violations) };
  const { value } = checked;
  return { ok: true, check: value, judgement: judgePolicy(value, profile) };
}
