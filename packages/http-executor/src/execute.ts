import type { ActionArguments, DryRun, ExecutionOutcome } from '@gatehouse/contracts';
import { type AttemptsReport, attemptRepeatedly, type Caller } from './attempts.ts';
import { type Clock, systemClock } from './clock.ts';
import { dryRun } from './dry-run.ts';
import { guardAction, type OutboundRequest } from './guard.ts';
import { conclude, judge, reportOutcome } from './outcome.ts';
import { createRedactor, type RedactionRules } from './redact.ts';
import { NO_WAY_AROUND, Refusal } from './refusal.ts';
import { readHeaders } from './request-headers.ts';
import { RETRY_POLICY, type RetryPolicy } from './retry.ts';
import type { Sandbox } from './sandbox.ts';
import type { ResponseSchemas } from './schema/response-schemas.ts';
import { type ConcurrencyLimits, Slots } from './slots.ts';
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
  /** None when absent. */
  readonly concurrency?: ConcurrencyLimits;
  /** Aborts when the process is about to end: executions wait for no further attempt then. */
  readonly draining?: AbortSignal;
  readonly retry?: RetryPolicy;
  readonly clock?: Clock;
}

/** What surrounds one execution. */
export type ExecutionContext = Caller;

export interface Executor {
  /**
   * Performs one action and answers with its outcome. Rejects with a `Refusal` when nothing was sent because the action
   * is malformed or leads out of the sandbox, and with `Cancelled` when the caller has gone away.
   */
  execute(action: ActionArguments, context: ExecutionContext): Promise<ExecutionOutcome>;
  /** Says what would become of an action, without connecting anywhere; rejects as `execute` does. */
  dryRun(action: ActionArguments, caller: AbortSignal): Promise<DryRun>;
}

const UNBOUNDED: ConcurrencyLimits = { maxExecutions: Infinity, maxExecutionsPerHost: Infinity, maxWaitMs: 0 };
const NEVER = new AbortController().signal;

/** The pipeline: action → guard → [ attempt → retry? ]* → decode → validate → redact → outcome. */
export function createExecutor(options: ExecutorOptions): Executor {
  const { sandbox, transport, preview, limits, redaction, schemas } = options;
  const { retry = RETRY_POLICY, clock = systemClock, concurrency = UNBOUNDED, draining = NEVER } = options;
  const deps = { ...limits, sandbox, transport, preview, schemas, clock, retry, draining };
  const slots = new Slots(concurrency, clock);

  const attemptInSlot = async (request: OutboundRequest, context: ExecutionContext): Promise<AttemptsReport> => {
    const { host } = request.url;
    const slot = slots.take(host, context.signal);
    if (slot !== undefined) await slot;
    try {
      return await attemptRepeatedly(request, deps, context);
    } finally {
      slots.release(host);
    }
  };
  const perform: Executor['execute'] = async (action, context) => {
    const guarded = guardAction(action, sandbox);
    const check = action.response_schema == null ? undefined : await schemas.compile(action.response_schema);
    const report = await attemptInSlot(guarded, context);
    refuseUnsent(report);
    const conclusion = conclude(report.result);
    const judged =
      check === undefined || conclusion.outcome === 'failure'
        ? conclusion
        : judge(conclusion, await check(conclusion.body, context.signal));
    return reportOutcome(report, judged, createRedactor(guarded.headers, redaction));
  };
  const failRedacted = (error: unknown, action: ActionArguments): never => {
    throw error instanceof Refusal ? redactRefusal(error, action, redaction) : error;
  };
  return {
    execute: (action, context) => perform(action, context).catch((error) => failRedacted(error, action)),
    dryRun: (action, caller) => dryRun(action, deps, caller).catch((error) => failRedacted(error, action)),
  };
}

/** A refusal repeats parts of the action, such as names in its schema, among which a credential may be. */
function redactRefusal(
  { code, message, violations }: Refusal,
  action: ActionArguments,
  rules: RedactionRules,
): Refusal {
  const { text } = createRedactor(readHeaders(action.headers ?? {}).headers, rules);
  const redacted = violations?.map((violation) => ({
    pointer: text(violation.pointer),
    message: text(violation.message),
  }));
  return new Refusal(code, text(message), redacted);
}

/** When the address guard stopped the first attempt, nothing was ever sent, and that is a refusal, not an outcome. */
function refuseUnsent({ result, attempts }: AttemptsReport): void {
  if (attempts > 1 || !('fault' in result) || result.fault.addressRefused !== true) return;
  throw new Refusal('AddressNotAllowed', `${result.fault.message} ${NO_WAY_AROUND}`);
}
