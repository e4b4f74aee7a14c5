import type { ActionArguments, DryRun, ExecutionOutcome } from '@gatehouse/contracts';
import { type AttemptsReport, attemptRepeatedly, type RetryEvent } from './attempts.ts';
import { type Clock, systemClock } from './clock.ts';
import { dryRun } from './dry-run.ts';
import { guardAction } from './guard.ts';
import { concludeReport } from './outcome.ts';
import { createRedactor, type RedactionRules } from './redact.ts';
import { NO_WAY_AROUND, Refusal } from './refusal.ts';
import { RETRY_POLICY, type RetryPolicy } from './retry.ts';
import type { Sandbox } from './sandbox.ts';
import type { ResponseSchemas } from './schema/response-schemas.ts';
import type { Preview, Transport } from './transport.ts';

/** Durations are milliseconds, sizes are bytes. */
export interface ExecutionLimits {
  /** From name resolution to the last byte of one attempt. */
  readonly attemptTimeoutMs: number;
  /** All attempts and the waits between them. */
  readonly totalTimeoutMs: number;
  /** Counted after decompression. */
  readonly maxResponseBytes: number;
}

export interface ExecutorOptions {
  readonly sandbox: Sandbox;
  readonly transport: Transport;
  readonly preview: Preview;
  readonly limits: ExecutionLimits;
  readonly redaction: RedactionRules;
  readonly schemas: ResponseSchemas;
  readonly retry?: RetryPolicy;
  readonly clock?: Clock;
}

/** What surrounds one execution. */
export interface ExecutionContext {
  /** Aborts when the caller has gone away: cancels the attempt in flight and all further ones. */
  readonly signal: AbortSignal;
  /** Headers for the upstream unless the action sets them itself, such as `traceparent`. */
  readonly traceHeaders?: ReadonlyMap<string, string>;
  readonly onRetry?: (event: RetryEvent) => void;
}

export interface Executor {
  /**
   * Performs one action and answers with its outcome. Rejects with a `Refusal` when nothing was sent because the action
   * is malformed or leads out of the sandbox, and with `Cancelled` when the caller has gone away.
   */
  execute(action: ActionArguments, context: ExecutionContext): Promise<ExecutionOutcome>;
  /** Says what would become of an action, without connecting anywhere; rejects as `execute` does. */
  dryRun(action: ActionArguments, caller: AbortSignal): Promise<DryRun>;
}

/** The pipeline: action → guard → [ attempt → retry? ]* → decode → validate → redact → outcome. */
export function createExecutor(options: ExecutorOptions): Executor {
  const { sandbox, transport, preview, limits, redaction, schemas } = options;
  const { retry = RETRY_POLICY, clock = systemClock } = options;

  return {
    execute: async (action, { signal, traceHeaders = new Map(), onRetry = () => {} }) => {
      const guarded = guardAction(action, sandbox);
      const check = action.response_schema == null ? undefined : await schemas.compile(action.response_schema);
      const trace = guarded.headers.has('traceparent') ? [] : traceHeaders;
      const request = { ...guarded, headers: new Map([...trace, ...guarded.headers]) };
      const deps = { ...limits, sandbox, transport, clock, retry, onRetry };
      const report = await attemptRepeatedly(request, deps, signal);
      refuseUnsent(report);
      const bodyCheck = check === undefined ? undefined : (body: string) => check(body, signal);
      return concludeReport(report, bodyCheck, createRedactor(guarded.headers, redaction));
    },
    dryRun: (action, caller) => {
      const { attemptTimeoutMs } = limits;
      return dryRun(action, { sandbox, preview, schemas, retry, clock, attemptTimeoutMs }, caller);
    },
  };
}

/** When the address guard stopped the first attempt, nothing was ever sent, and that is a refusal, not an outcome. */
function refuseUnsent({ result, attempts }: AttemptsReport): void {
  if (attempts > 1 || !('fault' in result) || result.fault.addressRefused !== true) return;
  throw new Refusal('AddressNotAllowed', `${result.fault.message} ${NO_WAY_AROUND}`);
}
