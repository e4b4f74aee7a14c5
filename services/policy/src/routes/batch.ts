import { DIGEST_HEADER, POLICY_PATHS } from '@gatehouse/contracts';
import {
  compileProfile,
  evaluate,
  type Profile,
  readCheck,
  toExplanation,
  toResponse,
} from '@gatehouse/policy';
import { profileFor } from '@gatehouse/policy/files';
import { documentOf, invalidReply, type Server } from '@gatehouse/service';
import type { BatchEntry } from '../decision-report.ts';
import { batchSchema } from '../documentation.ts';
import type { CheckDeps } from './check.ts';

/** Serves `POST /policy/check/batch` (docs/contract.md, "Batch"). */
export function serveBatch(app: Server, { inForce, report }: CheckDeps): void {
  app.post(POLICY_PATHS.batch, { schema: batchSchema }, (request, reply) => {
    const { body, caller, id, query } = request;
    const profile = profileFor(inForce.current, caller);
    const compiled = compileProfile(profile);
    const entries = body.checks.map((check) => batchEntry(check, profile));
    report.batch(request, entries, compiled);
    const results = entries.map((entry) => batchResult(entry, id, query.explain === 'true'));
    reply.header(DIGEST_HEADER, compiled.digest).send({ results });
  });
}

function batchEntry(check: unknown, profile: Profile): BatchEntry {
  const checked = readCheck(check);
  if (!checked.ok) return { problem: invalidReply('InvalidRequest', checked.violations) };
  return { check: checked.value, evaluation: evaluate(checked.value, profile) };
}

function batchResult(entry: BatchEntry, requestId: string, explain: boolean) {
  if ('problem' in entry) return documentOf(entry.problem, requestId);
  const response = toResponse(entry.evaluation);
  return explain ? { ...response, explanation: toExplanation(entry.evaluation) } : response;
}
