import type { ActionArguments, DryRun, Violation } from '@gatehouse/contracts';
import type { AttemptResult } from './attempt/attempt.ts';
import { type AttemptsReport, attemptRepeatedly, type Caller } from './attempt/attempts.ts';
import { RETRY_POLICY, type RetryPolicy } from './attempt/retry.ts';
import { type Clock, systemClock } from './clock.ts';
import { dryRun } from './dry-run.ts';
import { guardAction, inspectAction, type OutboundRequest } from './guard/guard.ts';
import { type RedactionRules, redactorFactory } from './redact/redactor.ts';
import { headersOf, redactRefusal, redactViolations } from './redact/refusals.ts';
import { NO_WAY_AROUND, Refusal } from './refusal.ts';
import type { Examiner } from './response/examiner.ts';
import { isSuccess, type Outcome, shownChars, toOutcome } from './response/outcome.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import { compileSchema } from './schema/compile.ts';
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
  readonly examiner: Examiner;
  /** None when absent. */
  readonly concurrency?: ConcurrencyLimits;
  /**
   * Aborts when the process is about to end: executions wait for no further attempt then.
   */
  readonly draining?: AbortSignal;
  readonly retry?: RetryPolicy;
  readonly clock?: Clock;
}

/** What surrounds one execution. */
export type ExecutionContext = Caller;

/**
 * What a planner asks for. `body` and `response_schema` may be given as a `JsonText`, of
 * which nothing is changed: a value that was parsed from JSON may have lost digits
 * already.
 */
export type Action = ActionArguments;

export interface Executor {
  /**
   * Performs one action and answers with its outcome. Rejects with a `Refusal` when
   * nothing was sent because the action is malformed or leads out of the sandbox, and
   * with `Cancelled` when the caller has gone away.
   */
  execute(action: Action, context: ExecutionContext): Promise<Outcome>;
  /**
   * Says what would become of an action, without connecting anywhere; rejects as
   * `execute` does.
   */
  dryRun(action: Action, caller: AbortSignal): Promise<DryRun>;
  /**
   * All that is wrong with a value that breaks the schema of actions, redacted; the
   * schema's violations are given.
   */
  explain(value: unknown, violations: readonly Violation[]): Violation[];
}

const UNBOUNDED: ConcurrencyLimits = {
  maxExecutions: Infinity,
  maxExecutionsPerHost: Infinity,
  maxWaitMs: 0,
};
const NEVER = new AbortController().signal;

/**
 * The pipeline: action → guard → [ attempt → retry? ]* → decode → validate → redact →
 * outcome.
 */
export function createExecutor(options: ExecutorOptions): Executor {
  const { sandbox, transport, preview, limits, redaction, examiner } = options;
  const {
    retry = RETRY_POLICY,
    clock = systemClock,
    concurrency = UNBOUNDED,
    draining = NEVER,
  } = options;
  const deps = {
    ...limits,
    sandbox,
    transport,
    preview,
    schemas: examiner,
    clock,
    retry,
    draining,
  };
  const slots = new Slots(concurrency, clock);
  const redactorFor = redactorFactory(redaction);

  const attemptInSlot = async (
    request: OutboundRequest,
    context: ExecutionContext,
  ): Promise<AttemptsReport> => {
    const { host } = request.url;
    const slot = slots.take(host, context.signal);
    if (slot !== undefined) await slot;
    try {
      return await attemptRepeatedly(request, deps, context);
    } finally {
      slots.release(host);
    }
  };
  const execute = async (action: Action, context: ExecutionContext): Promise<Outcome> => {
    const request = guardAction(action, sandbox);
    const redactor = redactorFor(request.headers);
    const schema = await compileSchema(action, examiner);
    const report = await attemptInSlot(request, context);
    throwIfAddressRefused(report);
    const body = bodyOf(report.result);
    const applied = body !== undefined && isSuccess(body.status) ? schema : undefined;
    const examined =
      body && (await examiner.examine({ ...body, redactor, schema: applied }, context.signal));
    return toOutcome(report, examined, applied !== undefined, redactor);
  };
  const refuseRedacted = (error: unknown, action: Action): never => {
    throw error instanceof Refusal
      ? redactRefusal(error, redactorFor(headersOf(action).headers))
      : error;
  };
  return {
    execute: (action, context) =>
      execute(action, context).catch((error) => refuseRedacted(error, action)),
    dryRun: (action, caller) =>
      dryRun(action, deps, caller).catch((error) => refuseRedacted(error, action)),
    explain: (value, violations) => {
      const read = headersOf(value);
      // Whatever else is wrong might repeat a credential that was not read.
      if (read.beyondLimits) return read.violations;
      try {
        return redactViolations(
          [...violations, ...inspectAction(value)],
          redactorFor(read.headers),
        );
      } catch (error) {
        if (error instanceof Refusal) return [...(error.violations ?? [])];
        throw error;
      }
    },
  };
}

/**
 * What came back and can be examined; undefined when nothing did, or a success was not
 * read to its end.
 */
function bodyOf(result: AttemptResult) {
  if (!('response' in result)) return undefined;
  const { status, body } = result.response;
  const { bytes, fault } = body;
  if (fault !== undefined && (isSuccess(status) || bytes.length === 0)) return undefined;
  return { status, bytes, cut: fault !== undefined, textChars: shownChars(status) };
}

/**
 * When the address guard stopped the first attempt, nothing was ever sent, and that is a
 * refusal, not an outcome.
 */
function throwIfAddressRefused({ result, attempts }: AttemptsReport): void {
  if (attempts > 1 || !('fault' in result) || result.fault.addressRefused !== true) return;
  throw new Refusal('AddressNotAllowed', `${result.fault.message} ${NO_WAY_AROUND}`);
}
