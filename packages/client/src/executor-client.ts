import {
  type ActionArguments,
  DryRun,
  EXECUTOR_PATHS,
  ExecutionOutcome,
  type Health,
  SandboxDescription,
} from '@gatehouse/contracts';
import { readerOf } from './answers.ts';
import type { CallOptions, ServiceOptions } from './options.ts';
import { HEALTH, Service, type ServiceKind } from './service.ts';

/** Asks an executor service. Every method throws `ProblemError` or `NoAnswerError`. */
export interface ExecutorClient extends AsyncDisposable {
  /**
   * Sent once, whatever happens. After a `NoAnswerError` that `maybeReceived`, the action may
   * have been carried out.
   */
  execute(action: ActionArguments, options?: CallOptions): Promise<ExecutionOutcome>;
  /** Judges an action; nothing is sent. */
  dryRun(action: ActionArguments, options?: CallOptions): Promise<DryRun>;
  /** Reads what may be reached, and within which limits. */
  sandbox(options?: CallOptions): Promise<SandboxDescription>;
  health(options?: CallOptions): Promise<Health>;
  close(): Promise<void>;
}

const EXECUTOR: ServiceKind = {
  name: 'executor',
  // Above the executor's own total of 60 s, so that it says what timed out.
  timeoutMs: 65_000,
  // An upstream's body may repeat members, and has any numbers.
  parse: (text) => JSON.parse(text.toString()),
};

const { execute, sandbox } = EXECUTOR_PATHS;
const EXECUTE = { path: execute, read: readerOf(ExecutionOutcome), repeatable: false };
const DRY_RUN = { path: `${execute}?dry_run=true`, read: readerOf(DryRun), repeatable: true };
const SANDBOX = { path: sandbox, read: readerOf(SandboxDescription), repeatable: true };

/** @throws {TypeError} for a URL, a token or a time limit that cannot be used. */
export function createExecutorClient(options: ServiceOptions): ExecutorClient {
  const service = new Service(EXECUTOR, options);
  return {
    execute: (body, call) => service.call({ ...EXECUTE, body }, call),
    dryRun: (body, call) => service.call({ ...DRY_RUN, body }, call),
    sandbox: (call) => service.call(SANDBOX, call),
    health: (call) => service.call(HEALTH, call),
    close: service.close,
    [Symbol.asyncDispose]: service.close,
  };
}
