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
  const inShares = sharing();
  // In a scope of its own: only here may checks arrive as they are written.
  app.register(async (scope) => {
    parseJsonStrictly(scope, new Set([CHECKS]), 'anything');
    scope.post(POLICY_PATHS.batch, options, async (request, reply) => {
      const batch = request.body as Batch;
      const { explain } = request.query as { explain?: string };
      const profile = inForce.for(request.caller);
      const judged = await inShares(batch.checks, (check, place) =>
        judge(check, batch.written[place], profile),
      );
      report.batch(request, judged, profile);
      const results = await inShares(judged, (each) => {
        if (!each.ok) return JSON.stringify(documentOf(each.problem, request.id));
        const explanation = explain === 'true' ? explainPolicy(each.check, profile) : undefined;
        return responseText(each.judgement, explanation);
      });
      reply.header(DIGEST_HEADER, compileProfile(profile).digest);
      reply.type('application/json; charset=utf-8');
      return `{"results":[${results.join()}]}`;
    });
  });
}

/** A hundred right checks take less, a hundred wrong ones many times as much. */
const SHARE_MS = 5;
/** To ask for the time after each would cost a twelfth of a batch. */
const CHECKS_PER_LOOK = 10;

/** Maps a list, and leaves each turn of the event loop to others after a share of it. */
function sharing(): <T, R>(list: readonly T[], map: (item: T, place: number) => R) => Promise<R[]> {
  const turns = new Turns();
  return async (list, map) => {
    let until = performance.now() + SHARE_MS;
    const mapped = [];
    for (const [place, item] of list.entries()) {
      if (place % CHECKS_PER_LOOK === 0 && performance.now() >= until) {
        await new Promise<void>((next) => turns.take(next));
        until = performance.now() + SHARE_MS;
      }
      mapped.push(map(item, place));
    }
    return mapped;
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
