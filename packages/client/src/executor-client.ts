import type { IncomingHttpHeaders } from 'node:http';
import {
  type ActionArguments,
  DECISION_HEADER,
  DryRun,
  EXECUTOR_PATHS,
  ExecutionOutcome,
  type Health,
  KEY_HEADER,
  REPLAYED_HEADER,
  SandboxDescription,
} from '@gatehouse/contracts';
import { Type } from '@sinclair/typebox';
import { readerFor } from './answers.ts';
import type { CallOptions, ServiceOptions } from './options.ts';
import { HEALTH, Service, type ServiceKind } from './service.ts';

export interface ExecuteOptions extends CallOptions {
  /** The policy's `token` for this action, for an executor that requires one. */
  readonly decision?: string | undefined;
  /**
   * 1 to 255 visible ASCII characters without `"`. For the same key and action, the executor sends
   * one request, and returns its outcome to every call. An executor without a store refuses keys.
   */
  readonly idempotencyKey?: string | undefined;
}

/** An outcome. `replayed` means that an earlier execution with the same key had it. */
export type Execution = ExecutionOutcome & { readonly replayed?: true };

/** Client of an executor service. Methods throw `ProblemError` or `NoAnswerError`. */
export interface ExecutorClient extends AsyncDisposable {
  /** Sends an action once. If an error has `maybeReceived: true`, the action may have run. */
  execute(action: ActionArguments, options?: ExecuteOptions): Promise<Execution>;
  /** Checks whether an action would be sent, without sending it. */
  dryRun(action: ActionArguments, options?: CallOptions): Promise<DryRun>;
  sandbox(options?: CallOptions): Promise<SandboxDescription>;
  /** True if the executor accepts idempotency keys. Remembers an answer. A failure means false. */
  acceptsKeys(options?: CallOptions): Promise<boolean>;
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
const readOutcome = readerFor(ExecutionOutcome);
const EXECUTE = { path: execute, read: readExecution, repeatable: false };
const DRY_RUN = { path: `${execute}?dry_run=true`, read: readerFor(DryRun), repeatable: true };
const SANDBOX = { path: sandbox, read: readerFor(SandboxDescription), repeatable: true };
/** Time limit in milliseconds for asking whether the executor accepts keys. */
const KEYS_MS = 5_000;
const KEYS = {
  path: sandbox,
  read: readerFor(Type.Object({ idempotency: Type.Optional(Type.Boolean()) })),
  repeatable: false,
};

/** @throws {TypeError} if the URL, the token or the time limit is invalid. */
export function createExecutorClient(options: ServiceOptions): ExecutorClient {
  const service = new Service(EXECUTOR, options);
  let keys: boolean | undefined;
  return {
    execute: async (body, { decision, idempotencyKey: key, ...call } = {}) => {
      const headers = { [DECISION_HEADER]: decision, [KEY_HEADER]: key };
      return await service.call({ ...EXECUTE, body, headers }, call);
    },
    dryRun: (body, call) => service.call({ ...DRY_RUN, body }, call),
    sandbox: (call) => service.call(SANDBOX, call),
    acceptsKeys: async (call) => {
      const timeoutMs = Math.min(call?.timeoutMs ?? options.timeoutMs ?? KEYS_MS, KEYS_MS);
      keys ??= await service.call(KEYS, { ...call, timeoutMs }).then(
        ({ idempotency = false }) => idempotency,
        () => undefined,
      );
      return keys ?? false;
    },
    health: (call) => service.call(HEALTH, call),
    close: service.close,
    [Symbol.asyncDispose]: service.close,
  };
}

function readExecution(document: unknown, _body: unknown, headers: IncomingHttpHeaders) {
  const outcome = readOutcome(document);
  if (outcome?.outcome === 'success' && !('body' in outcome || outcome.body_omitted))
    return undefined;

  if (outcome === undefined || headers[REPLAYED_HEADER] !== 'true') return outcome;
  return { ...outcome, replayed: true } as const;
}
