import type { ActionArguments, DryRun } from '@gatehouse/contracts';
import { DeadlineExceeded, type OnCutOff, withDeadline } from './attempt/deadline.ts';
import type { RetryPolicy } from './attempt/retry.ts';
import type { Clock } from './clock.ts';
import { guardAction } from './guard/guard.ts';
import { NO_WAY_AROUND, Refusal } from './refusal.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import { compileSchema, type ResponseSchemas } from './schema/compile.ts';
import { type Preview, TransportError } from './transport.ts';

export interface DryRunDeps {
  readonly sandbox: Sandbox;
  readonly preview: Preview;
  readonly schemas: ResponseSchemas;
  readonly retry: RetryPolicy;
  readonly clock: Clock;
  readonly attemptTimeoutMs: number;
}

/**
 * What would become of an action, without connecting anywhere: guard, allowlist, response
 * schema and name resolution are run as for an execution. Rejects with the same
 * `Refusal`, and with `Cancelled`.
 */
export async function dryRun(
  action: ActionArguments,
  deps: DryRunDeps,
  caller: AbortSignal,
): Promise<DryRun> {
  const { method, url } = guardAction(action, deps.sandbox);
  await compileSchema(action, deps.schemas);
  const max_attempts = deps.retry.methods.includes(method) ? deps.retry.maxAttempts : 1;
  const answer = { outcome: 'dry_run', method, host: url.host, max_attempts } as const;
  try {
    const work = (onCutOff: OnCutOff) => deps.preview(url, onCutOff);
    const addresses = await withDeadline(work, {
      clock: deps.clock,
      ms: deps.attemptTimeoutMs,
      caller,
    });
    return { ...answer, addresses, message: 'The request would be sent.' };
  } catch (error) {
    return { ...answer, addresses: [], message: `The request would fail. ${faultMessage(error)}` };
  }
}

function faultMessage(error: unknown): string {
  if (error instanceof DeadlineExceeded) return 'Its name did not resolve in time.';
  if (!(error instanceof TransportError)) throw error;
  if (error.fault === 'address')
    throw new Refusal('AddressNotAllowed', `${error.message} ${NO_WAY_AROUND}`);
  return error.message;
}
