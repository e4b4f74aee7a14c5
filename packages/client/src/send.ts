import { randomUUID } from 'node:crypto';
import type { ActionArguments } from '@gatehouse/contracts';
import { GatehouseError, NoAnswerError, ProblemError } from './errors.ts';
import type { ExecuteOptions, ExecutorClient } from './executor-client.ts';
import type { Decided, Executed, Failed } from './gate-result.ts';

/** Executor of a gate. Without `acceptsKeys`, the gate makes no idempotency keys of its own. */
export type GateExecutor = Pick<ExecutorClient, 'execute'> &
  Partial<Pick<ExecutorClient, 'dryRun' | 'acceptsKeys'>>;

/** Executes an action, under a key of its own if the executor accepts keys. */
export async function send(
  executor: GateExecutor,
  action: ActionArguments,
  decided: Decided,
  options: ExecuteOptions,
): Promise<Executed | Failed> {
  const { requestId, rules } = decided;
  try {
    const { idempotencyKey: given, decision: _, ...call } = options;
    const idempotencyKey =
      given ?? ((await executor.acceptsKeys?.(call)) ? randomUUID() : undefined);
    const { replayed, ...outcome } = await execute(executor, action, {
      ...options,
      idempotencyKey,
    });
    return { state: 'executed', requestId, rules, outcome, ...(replayed && { replayed }) };
  } catch (error) {
    return toFailure(error, decided);
  }
}

/**
 * Repeats an execution once if its answer was lost, because the key makes this safe.
 * INVARIANT: if the repetition has no outcome, the result is that of the lost answer, because the
 * executor may have sent the action.
 */
async function execute(executor: GateExecutor, action: ActionArguments, options: ExecuteOptions) {
  try {
    return await executor.execute(action, options);
  } catch (error) {
    const isLost = error instanceof NoAnswerError && error.maybeReceived;
    if (!isLost || options.idempotencyKey === undefined) throw error;

    return await executor.execute(action, options).catch(() => {
      throw error;
    });
  }
}

/** Turns a `GatehouseError` into a result. Rethrows any other error. */
export function toFailure(error: unknown, { requestId, rules }: Decided): Failed {
  if (!(error instanceof GatehouseError)) throw error;

  const { message: reason, retryAfterMs } = error;
  const decided = { requestId, rules, reason, retryAfterMs };
  if (error instanceof ProblemError)
    return { state: 'refused', ...decided, problem: error.problem };

  const maybeSent = !(error instanceof NoAnswerError) || error.maybeReceived;
  return { state: 'unanswered', ...decided, error, maybeSent };
}
