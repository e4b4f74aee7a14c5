import {
  type ActionArguments,
  type DryRun,
  EXECUTOR_PATHS,
  type ExecutionOutcome,
  type Health,
  type Sandbox,
  SERVICE_PATHS,
  type SuccessOutcome,
} from '@gatehouse/contracts';
import { dryRunOf, outcomeOf } from './answers.ts';
import { ExecutionFailedError } from './errors.ts';
import type { CallOptions, ServiceOptions } from './options.ts';
import { Service } from './service.ts';

/** Asks an executor service. Every method throws `ProblemError` or `NoAnswerError`. */
export interface ExecutorClient extends AsyncDisposable {
  /**
   * Sent once, whatever happens. After a `NoAnswerError` that `maybeReceived`, the action may
   * have been carried out.
   */
  execute(action: ActionArguments, options?: CallOptions): Promise<ExecutionOutcome>;
  /** As `execute`. @throws {ExecutionFailedError} when the outcome is a failure. */
  executeOrThrow(action: ActionArguments, options?: CallOptions): Promise<SuccessOutcome>;
  /** Judges an action; nothing is sent. */
  dryRun(action: ActionArguments, options?: CallOptions): Promise<DryRun>;
  /** What may be reached, and within which limits. */
  sandbox(options?: CallOptions): Promise<Sandbox>;
  health(options?: CallOptions): Promise<Health>;
  close(): Promise<void>;
}

/** Above the executor's own total of 60 s, so that it says what timed out. */
const TIMEOUT_MS = 65_000;

/** @throws {TypeError} for a URL, a token or a time limit that cannot be used. */
export function createExecutorClient(options: ServiceOptions): ExecutorClient {
  const service = new Service('executor', TIMEOUT_MS, options);
  const execute = (body: ActionArguments, call?: CallOptions) =>
    service.call({ path: EXECUTOR_PATHS.execute, body, read: outcomeOf, repeatable: false }, call);
  return {
    execute,
    executeOrThrow: async (action, call) => {
      const outcome = await execute(action, call);
      if (outcome.outcome === 'success') return outcome;
      throw new ExecutionFailedError(outcome);
    },
    dryRun: (body, call) => {
      const path = `${EXECUTOR_PATHS.execute}?dry_run=true`;
      return service.call({ path, body, read: dryRunOf, repeatable: true }, call);
    },
    sandbox: (call) => service.get<Sandbox>(EXECUTOR_PATHS.sandbox, call),
    health: (call) => service.get<Health>(SERVICE_PATHS.health, call),
    close: service.close,
    [Symbol.asyncDispose]: service.close,
  };
}
