import type { Explained, GateResult } from '@gatehouse/client';
import type { ActionArguments, Sections } from '@gatehouse/contracts';
import { decisionRecord } from '@gatehouse/policy';

/**
 * Returns the facts and the decision for the log, in the same form as in the policy service's log.
 * Includes amounts only if `logAmounts` is true. Leaves out `detail`, which may contain an amount.
 */
export function decisionFields(
  facts: Sections,
  explained: Explained | undefined,
  logAmounts: boolean,
): Readonly<Record<string, unknown>> {
  if (explained === undefined) return {};
  const { decision, explanation } = explained;
  const { profile, digest } = explanation;
  const rules = explained.rules.flatMap((outcome) => {
    const { code } = explanation.rules.find(({ rule }) => rule === outcome.rule) ?? {};
    return code === undefined ? [] : { ...outcome, code, facts: {} };
  });
  // The service does not return what its profile states, so only the caller's facts are logged.
  const evaluation = { profile, digest, decision, rules, stated: {} };
  return decisionRecord(facts, evaluation, logAmounts);
}

export function resultFields(result: GateResult): object {
  const { state } = result;
  if (state === 'refused') return { state, code: result.problem.code };
  if (state !== 'executed')
    return { state, error: 'error' in result ? result.error?.message : undefined };
  const { outcome, status, attempts } = result.outcome;
  const error = 'error' in result.outcome ? result.outcome.error : undefined;
  return { state, outcome, error, status, attempts };
}

const MAX_PATH_CHARS = 500;

/** Returns a request's host and path for the log, but not its query, which may contain secrets. */
export function upstreamFields({ method, url }: ActionArguments): object {
  const { host, pathname } = URL.parse(url) ?? {};
  return { upstream: { method, host, path: pathname?.slice(0, MAX_PATH_CHARS) } };
}
