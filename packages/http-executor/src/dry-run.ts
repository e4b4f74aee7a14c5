import type { ActionArguments, DryRun } from '@gatehouse/contracts';
import { type Clock, DeadlineExceeded, withDeadline } from './clock.ts';
import { NO_WAY_AROUND, Refusal } from './errors.ts';
import { guard } from './guard/guard.ts';
import { RETRY_POLICY } from './retry/retry-decision.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import { type Preview, TransportError } from './transport.ts';
import type { ResponseSchemas } from './validate/response-schemas.ts';

export interface DryRunDeps {
  readonly sandbox: Sandbox;
  readonly preview: Preview;
  readonly examiner: ResponseSchemas;
  readonly clock: Clock;
  readonly attemptTimeoutMs: number;
  readonly maxRequestBytes: number;
}

/** Checks the action, compiles the response schema and resolves the host, but does not connect. */
export async function dryRun(
  action: ActionArguments,
  { preview, examiner, clock, attemptTimeoutMs: ms, ...deps }: DryRunDeps,
  { signal, caller }: { readonly signal: AbortSignal; readonly caller?: string | undefined },
): Promise<DryRun> {
  const { method, url, route } = guard(action, deps, caller);
  if (action.response_schema != null) await examiner.compile(action.response_schema);
  const { index, source } = route.destination;
  const { host, credential } = source;
  const { methods, maxAttempts } = RETRY_POLICY;
  const max_attempts = methods.includes(method) ? maxAttempts : 1;
  const answer = {
    outcome: 'dry_run',
    method,
    host: url.host,
    max_attempts,
    ...(route.upstreams.fromFile && {
      destination: { index, host, ...(credential !== undefined && { credential }) },
    }),
  } as const;
  try {
    const work = (signal: AbortSignal) => preview(url, signal);
    const addresses = await withDeadline(work, { clock, ms, caller: signal });
    return { ...answer, would_send: true, addresses, message: 'The request would be sent.' };
  } catch (error) {
    const message = `The request would fail. ${faultMessage(error)}`;
    return { ...answer, would_send: false, addresses: [], message };
  }
}

function faultMessage(error: unknown): string {
  if (error instanceof DeadlineExceeded) return 'The host name could not be resolved in time.';
  if (!(error instanceof TransportError)) throw error;
  if (error.fault === 'address')
    throw new Refusal('AddressNotAllowed', `${error.message} ${NO_WAY_AROUND}`);
  return error.message;
}
