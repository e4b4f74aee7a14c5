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
  parseJsonStrictly,
  type Server,
  Turns,
  validatedBy,
} from '@gatehouse/service';
import { type Batch, CHECKS, problemIn, readBatch } from '../batch-body.ts';
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
  const turns = new Turns();
  // In a scope of its own: only here may checks arrive as they are written.
  app.register(async (scope) => {
    parseJsonStrictly(scope, new Set([CHECKS]), 'anything');
    scope.post(POLICY_PATHS.batch, options, async (request, reply) => {
      const { checks, written } = request.body as Batch;
      const { explain } = request.query as { explain?: string };
      const profile = inForce.for(request.caller);
      const pause = pauses(turns);
      const judged: Judged[] = [];
      const results: string[] = [];
      for (const [place, check] of checks.entries()) {
        const each = judge(check, written[place], profile);
        judged.push(each);
        results.push(resultOf(each, { requestId: request.id, explain, profile }));
        if (!each.ok) await pause();
      }
      report.batch(request, judged, profile);
      reply.header(DIGEST_HEADER, compileProfile(profile).digest);
      reply.type('application/json; charset=utf-8');
      return `{"results":[${results.join()}]}`;
    });
  });
}

/** A hundred right checks take less, a hundred wrong ones many times as much. */
const SHARE_MS = 5;

/** Leaves the event loop to others where a share of a turn is over. */
function pauses(turns: Turns): () => Promise<void> | undefined {
  let until = performance.now() + SHARE_MS;
  return () => {
    if (performance.now() < until) return undefined;
    return new Promise((resolve) => {
      turns.take(() => {
        until = performance.now() + SHARE_MS;
        resolve();
      });
    });
  };
}

/** As a single check: what is wrong with its text comes before what breaks the schema. */
function judge(check: unknown, written: Buffer | undefined, profile: Profile): Judged {
  const problem = written && problemIn(written);
  if (problem !== undefined) return { ok: false, problem };
  const checked = validateCheckRequest(check);
  if (!checked.ok) return { ok: false, problem: invalid('InvalidRequest', checked.violations) };
  const { value } = checked;
  return { ok: true, check: value, judgement: judgePolicy(value, profile) };
}

interface Asked {
  readonly requestId: string;
  readonly explain: string | undefined;
  readonly profile: Profile;
}

/** In JSON. */
function resultOf(each: Judged, { requestId, explain, profile }: Asked): string {
  if (!each.ok) return JSON.stringify(documentOf(each.problem, requestId));
  const explanation = explain === 'true' ? explainPolicy(each.check, profile) : undefined;
  return responseText(each.judgement, explanation);
}
