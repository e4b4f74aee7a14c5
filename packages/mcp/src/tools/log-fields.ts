import type { GateResult } from '@gatehouse/client';
import type { ActionArguments, Decision, RuleDecision } from '@gatehouse/contracts';

/** Returns each rule's outcome for the log, but not its `detail`, which may contain an amount. */
export function outcomeFields(rules: readonly RuleDecision[]): Readonly<Record<string, Decision>> {
  return Object.fromEntries(rules.map(({ rule, outcome }) => [rule, outcome]));
}

export function resultFields(result: GateResult): object {
  const { state, rules } = result;
  const decided = { state, rules: outcomeFields(rules) };
  if (state === 'refused') return { ...decided, code: result.problem.code };
  if (state !== 'executed')
    return { ...decided, error: 'error' in result ? result.error?.message : undefined };
  const { outcome, status, attempts } = result.outcome;
  const error = 'error' in result.outcome ? result.outcome.error : undefined;
  return { ...decided, outcome, error, status, attempts };
}

const MAX_PATH_CHARS = 500;

/** Returns a request's host and path for the log, but not its query, which may contain secrets. */
export function upstreamFields({ method, url }: ActionArguments): object {
  const { host, pathname } = URL.parse(url) ?? {};
  return { upstream: { method, host, path: pathname?.slice(0, MAX_PATH_CHARS) } };
}
