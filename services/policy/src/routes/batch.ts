import { setImmediate } from 'node:timers/promises';
import { DIGEST_HEADER, POLICY_PATHS } from '@gatehouse/contracts';
import { JsonText } from '@gatehouse/contracts/json';
import { compileProfile, evaluate, type Profile, readCheck } from '@gatehouse/policy';
import { profileFor } from '@gatehouse/policy/files';
import { documentOf, invalidReply, ProblemReply, type Server } from '@gatehouse/service';
import type { BatchEntry } from '../decision-report.ts';
import { batchSchema } from '../documentation.ts';
import { bindDecision } from '../signing/bind.ts';
import type { Signer } from '../signing/signer.ts';
import { type CheckDeps, responseTo } from './check.ts';

/** Serves `POST /policy/check/batch` (docs/contract.md, "Batch"). */
export function serveBatch(app: Server, { inForce, report, signer }: CheckDeps): void {
  app.post(POLICY_PATHS.batch, { schema: batchSchema }, async (request, reply) => {
    const { body, caller, id, query } = request;
    const profile = profileFor(inForce.current, caller);
    const compiled = compileProfile(profile);
    const entries: BatchEntry[] = [];
    for (const check of body.checks) {
      entries.push(await batchEntry(check, profile, caller, signer));
      // Together, large actions would block the event loop.
      if (hasLargeAction(check)) await setImmediate();
    }
    report.batch(request, entries, compiled);
    const explain = query.explain === 'true';
    const results = entries.map((entry) =>
      'problem' in entry ? documentOf(entry.problem, id) : responseTo(entry.bound, explain),
    );
    reply.header(DIGEST_HEADER, compiled.digest);
    return { results };
  });
}

/** Size of an action that takes about a millisecond to read. */
const LARGE_CHARS = 4 * 1024;

/** True if a check has a large action, which `parseJsonStrictly` has kept as text. */
function hasLargeAction(check: unknown): boolean {
  const { action } = Object(check);
  return action instanceof JsonText && action.text.length > LARGE_CHARS;
}

async function batchEntry(
  value: unknown,
  profile: Profile,
  caller: string | undefined,
  signer: Signer | undefined,
): Promise<BatchEntry> {
  const checked = readCheck(value);
  if (!checked.ok) return { problem: invalidReply('InvalidRequest', checked.violations) };

  const check = checked.value;
  try {
    return { check, bound: await bindDecision(check, evaluate(check, profile), caller, signer) };
  } catch (error) {
    if (error instanceof ProblemReply) return { problem: error };
    throw error;
  }
}
