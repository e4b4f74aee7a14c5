import {
  BatchRequest,
  type BatchResponse,
  DIGEST_HEADER,
  POLICY_PATHS,
} from '@gatehouse/contracts';
import {
  compileProfile,
  evaluate,
  type Profile,
  toExplanation,
  toResponse,
  validateCheckRequest,
} from '@gatehouse/policy-engine';
import { documentOf, invalid, payloadTooLarge, type Server, validatedBy } from '@gatehouse/service';
import { compileValidator } from '@gatehouse/validation';
import type { BatchEntry } from '../decision-report.ts';
import { batchSchema, MAX_BATCH_BYTES } from '../documentation.ts';
import { type CheckDeps, MAX_CHECK_BYTES } from './check.ts';

/** `POST /policy/check/batch` (contract, section 2): each check gets what it would alone. */
export function serveBatch(app: Server, { inForce, report }: CheckDeps): void {
  const options = {
    schema: batchSchema,
    bodyLimit: MAX_BATCH_BYTES,
    validatorCompiler: validatedBy(compileValidator(BatchRequest), 'InvalidRequest'),
  };
  app.post(POLICY_PATHS.batch, options, (request, reply) => {
    const { body, caller, headers, id: requestId, query } = request;
    const profile = inForce.for(caller);
    const compiled = compileProfile(profile);
    // No check of a smaller body can be too large; measuring all would cost a sixth of the batch.
    const measured = !(Number(headers['content-length']) <= MAX_CHECK_BYTES);
    const entries = body.checks.map((check) => entryFor(check, profile, measured));
    report.batch(request, entries, compiled);
    const explain = query.explain === 'true';
    const results = entries.map((entry) => resultOf(entry, requestId, explain));
    reply.header(DIGEST_HEADER, compiled.digest).send({ results });
  });
}

function entryFor(check: unknown, profile: Profile, measured: boolean): BatchEntry {
  if (measured && Buffer.byteLength(JSON.stringify(check)) > MAX_CHECK_BYTES)
    return { ok: false, problem: payloadTooLarge(MAX_CHECK_BYTES) };
  const checked = validateCheckRequest(check);
  if (!checked.ok) return { ok: false, problem: invalid('InvalidRequest', checked.violations) };
  return { ok: true, check: checked.value, evaluation: evaluate(checked.value, profile) };
}

function resultOf(
  entry: BatchEntry,
  requestId: string,
  explain: boolean,
): BatchResponse['results'][number] {
  if (!entry.ok) return documentOf(entry.problem, requestId);
  const { evaluation } = entry;
  return {
    ...toResponse(evaluation),
    ...(explain && { explanation: toExplanation(evaluation) }),
  };
}
