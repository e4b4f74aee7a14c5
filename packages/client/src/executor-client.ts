import {
  type ActionArguments,
  DryRun,
  EXECUTOR_PATHS,
  ExecutionOutcome,
  type Health,
  SandboxDescription,
} from '@gatehouse/contracts';
import { readerFor } from './answers.ts';
import type { CallOptions, ServiceOptions } from './options.ts';
import { HEALTH, Service, type ServiceKind } from './service.ts';

/** Client of an executor service. Methods throw `ProblemError` or `NoAnswerError`. */
export interface ExecutorClient extends AsyncDisposable {
  /** Sends an action once. If an error has `maybeReceived: true`, the action may have run. */
  execute(action: ActionArguments, options?: CallOptions): Promise<ExecutionOutcome>;
  /** Checks whether an action would be sent, without sending it. */
  dryRun(action: ActionArguments, options?: CallOptions): Promise<DryRun>;
  sandbox(options?: CallOptions): Promise<SandboxDescription>;
  health(options?: CallOptions): Promise<Health>;
  close(): Promise<void>;
}

const EXECUTOR: ServiceKind = {
  name: 'executor',
  hasEffects: true,
  // The executor's limit is 60 s; wait longer, so that the executor can report what timed out.
  timeoutMs: 65_000,
  // Parse leniently: an upstream's JSON may contain duplicate member names or huge numbers.
  parse: (text) => JSON.parse(text.toString()),
};

const { execute, sandbox } = EXECUTOR_PATHS;
const EXECUTE = { path: execute, read: readerFor(ExecutionOutcome), repeatable: false };
const DRY_RUN = { path: `${execute}?dry_run=true`, read: readerFor(DryRun), repeatable: true };
const SANDBOX = { path: sandbox, read: readerFor(SandboxDescription), repeatable: true };

/** @throws {TypeError} if the URL, the token or the time limit is invalid. */
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
