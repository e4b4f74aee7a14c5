import { setImmediate } from 'node:timers/promises';
import { DIGEST_HEADER, POLICY_PATHS } from '@gatehouse/contracts';
import { JsonText } from '@gatehouse/contracts/json';
import {
  type Check,
  compileProfile,
  type Evaluation,
  evaluate,
  type Profile,
  readCheck,
} from '@gatehouse/policy';
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
    const evaluated: Evaluated[] = [];
    for (const check of body.checks) {
      // Together, large actions would block the event loop.
      if (hasLargeAction(check)) await setImmediate();
      evaluated.push(evaluateEntry(check, profile));
    }
    const bind = (entry: Evaluated) => bindEntry(entry, caller, signer);
    const entries = await Promise.all(evaluated.map(bind));
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

type Evaluated =
  | { readonly check: Check; readonly evaluation: Evaluation }
  | { readonly problem: ProblemReply };

function evaluateEntry(value: unknown, profile: Profile): Evaluated {
  const checked = readCheck(value);
  if (!checked.ok) return { problem: invalidReply('InvalidRequest', checked.violations) };

  return { check: checked.value, evaluation: evaluate(checked.value, profile) };
}

async function bindEntry(
  evaluated: Evaluated,
  caller: string | undefined,
  signer: Signer | undefined,
): Promise<BatchEntry> {
  if ('problem' in evaluated) return evaluated;

  const { check, evaluation } = evaluated;
  try {
    return { check, bound: await bindDecision(check, evaluation, caller, signer) };
  } catch (error) {
    if (error instanceof ProblemReply) return { problem: error };
    throw error;
  }
}
