import type { DryRun } from '@gatehouse/contracts';
import { type Clock, DeadlineExceeded, withDeadline } from './clock.ts';
import { addressRefusal } from './errors.ts';
import { type GuardRules, guard } from './guard/guard.ts';
import type { ExecutionLimits } from './limits.ts';
import { RETRY_POLICY } from './retry/decide.ts';
import { type Preview, TransportError } from './wire.ts';

/** Checks an action and resolves its host, but does not connect. @throws {Refusal} */
export async function dryRun(
  action: unknown,
  { signal, caller }: { readonly signal: AbortSignal; readonly caller?: string | undefined },
  { rules, preview, clock, limits }: DryRunParts,
): Promise<DryRun> {
  const {
    method,
    url,
    route,
    timeoutMs = Number.POSITIVE_INFINITY,
  } = await guard(action, rules, { caller, isDryRun: true });
  const { index, source } = route.destination;
  const { host, credential } = source;
  const { methods, maxAttempts } = RETRY_POLICY;
  const destination = { index, host, ...(credential !== undefined && { credential }) };
  const answer = {
    outcome: 'dry_run',
    ...{ method, host: url.host, max_attempts: methods.includes(method) ? maxAttempts : 1 },
    ...(route.upstreams.fromFile && { destination }),
  } as const;
  try {
    const ms = Math.min(limits.attemptTimeoutMs, timeoutMs);
    const deadline = { clock, ms, caller: signal };
    const addresses = await withDeadline(() => preview(url), deadline);
    return { ...answer, would_send: true, addresses, message: 'The request would be sent.' };
  } catch (error) {
    const message = `The request would fail. ${faultMessage(error)}`;
    return { ...answer, would_send: false, addresses: [], message };
  }
}

interface DryRunParts {
  readonly rules: GuardRules;
  readonly preview: Preview;
  readonly clock: Clock;
  readonly limits: Pick<ExecutionLimits, 'attemptTimeoutMs'>;
}

function faultMessage(error: unknown): string {
  if (error instanceof DeadlineExceeded) return 'The host name could not be resolved in time.';
  if (!(error instanceof TransportError)) throw error;
  if (error.fault === 'address') throw addressRefusal(error.message);
  return error.message;
}
