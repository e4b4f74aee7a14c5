import { BatchRequest, DIGEST_HEADER, POLICY_PATHS } from '@gatehouse/contracts';
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
  payloadTooLarge,
  type Server,
  sendJson,
  validatedBy,
} from '@gatehouse/service';
import { compileCheck } from '@gatehouse/validation';
import type { Judged } from '../decision-report.ts';
import { batchSchema, MAX_BATCH_BYTES } from '../documentation.ts';
import { type CheckDeps, MAX_CHECK_BYTES } from './check.ts';

/** `POST /policy/check/batch` (contract, section 2): each check gets what it would alone. */
export function serveBatch(app: Server, { inForce, report }: CheckDeps): void {
  const options = {
    schema: batchSchema,
    bodyLimit: MAX_BATCH_BYTES,
    validatorCompiler: validatedBy(compileCheck(BatchRequest), 'InvalidRequest'),
  };
  app.post(POLICY_PATHS.batch, options, (request, reply) => {
    const { body, caller, headers, id: requestId, query } = request;
    const profile = inForce.for(caller);
    // No check of a smaller body can be too large; measuring all would cost a sixth of the batch.
    const measured = !(Number(headers['content-length']) <= MAX_CHECK_BYTES);
    const judged = body.checks.map((check) => judge(check, profile, measured));
    report.batch(request, judged, profile);
    reply.header(DIGEST_HEADER, compileProfile(profile).digest);
    const asked = { requestId, explain: query.explain === 'true', profile };
    sendJson(reply, `{"results":[${judged.map((each) => resultOf(each, asked)).join()}]}`);
  });
}

function judge(check: unknown, profile: Profile, measured: boolean): Judged {
  if (measured && Buffer.byteLength(JSON.stringify(check)) > MAX_CHECK_BYTES)
    return { ok: false, problem: payloadTooLarge(MAX_CHECK_BYTES) };
  const checked = validateCheckRequest(check);
  if (!checked.ok) return { ok: false, problem: invalid('InvalidRequest', checked.violations) };
  const { value } = checked;
  return { ok: true, check: value, judgement: judgePolicy(value, profile) };
}

interface Asked {
  readonly requestId: string;
  readonly explain: boolean;
  readonly profile: Profile;
}

/** In JSON. */
function resultOf(each: Judged, { requestId, explain, profile }: Asked): string {
  if (!each.ok) return JSON.stringify(documentOf(each.problem, requestId));
  const explanation = explain ? explainPolicy(each.check, profile) : undefined;
  return responseText(each.judgement, explanation);
}
