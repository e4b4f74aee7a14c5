import type { ActionArguments, DryRun, Violation } from '@gatehouse/contracts';
import type { AttemptResult } from './attempt/attempt.ts';
import { BodyTurns } from './attempt/body-turns.ts';
import { type AttemptsReport, type ExecutionContext, runAttempts } from './attempt/retry-loop.ts';
import type { Clock } from './clock.ts';
import { ConcurrencyLimiter, type ConcurrencyLimits } from './concurrency.ts';
import { dryRun } from './dry-run.ts';
import { NO_WAY_AROUND, Refusal } from './errors.ts';
import { guardAction, inspectAction } from './guard/guard.ts';
import type { RedactionRules } from './redact/header-names.ts';
import { redactorFactory } from './redact/redactor.ts';
import { headersOf, redactRefusal, redactViolations } from './redact/refusals.ts';
import type { Examined } from './response/examine.ts';
import type { Examiner } from './response/examiner.ts';
import {
  type Applied,
  isSuccess,
  type Outcome,
  shownChars,
  toOutcome,
} from './response/outcome.ts';
import { compileSchema } from './response/response-schemas.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import type { Preview, Transport } from './transport.ts';

/** Durations are milliseconds, sizes are bytes. */
export interface ExecutionLimits {
  /** From name resolution to the last byte of one attempt. */
  readonly attemptTimeoutMs: number;
  /** All attempts and the waits between them. */
  readonly totalTimeoutMs: number;
  /** Of an action; a form that it becomes may have twice as many. */
  readonly maxRequestBytes: number;
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
  readonly concurrency: ConcurrencyLimits;
  /** Aborts when the process is about to end: no further attempt is made then. */
  readonly draining: AbortSignal;
  readonly clock: Clock;
}

/**
 * What a planner asks for. A `body` or `response_schema` given as a `JsonText` keeps every
 * digit; a parsed value may have lost some.
 */
export type Action = ActionArguments;

export interface Executor {
  /**
   * Performs one action.
   * @throws {Refusal} when the action is malformed or leads out of the sandbox; nothing was sent.
   * @throws {Cancelled} when the caller has gone away.
   */
  execute(action: Action, context: ExecutionContext): Promise<Outcome>;
  /** Judges an action as `execute` does, without connecting anywhere; throws the same. */
  dryRun(action: Action, caller: AbortSignal): Promise<DryRun>;
  /**
   * Lists the violations of a value that breaks the schema of actions, together with what
   * the guard would refuse; redacted.
   */
  explain(value: unknown, violations: readonly Violation[]): Violation[];
}

function pipelineOf(options: ExecutorOptions) {
  const { limits, redaction, sandbox, concurrency, clock } = options;
  return {
    ...options,
    ...limits,
    turns: new BodyTurns(),
    limiter: new ConcurrencyLimiter(concurrency, clock, sandbox.settingNames),
    redactorFor: redactorFactory(redaction),
  };
}

type Pipeline = ReturnType<typeof pipelineOf>;

export function createExecutor(options: ExecutorOptions): Executor {
  const pipeline = pipelineOf(options);
  const throwRedacted = (error: unknown, action: Action): never => {
    if (!(error instanceof Refusal)) throw error;
    throw redactRefusal(error, pipeline.redactorFor(headersOf(action).headers));
  };
  return {
    execute: (action, context) =>
      execute(action, context, pipeline).catch((error) => throwRedacted(error, action)),
    dryRun: (action, caller) =>
      dryRun(action, pipeline, caller).catch((error) => throwRedacted(error, action)),
    explain: (value, violations) => explain(value, violations, pipeline),
  };
}

/** action → guard → [ attempt → retry? ]* → decode → validate → redact → outcome */
async function execute(
  action: Action,
  context: ExecutionContext,
  pipeline: Pipeline,
): Promise<Outcome> {
  // guard
  const request = guardAction(action, pipeline.sandbox, pipeline.maxRequestBytes);
  const redactor = pipeline.redactorFor(request.headers);
  const schema = await compileSchema(action, pipeline.examiner);
  // An execution keeps its slot until its answer is ready, so that bodies to examine are bounded.
  return pipeline.limiter.run(request.url.host, context.signal, async () => {
    // [ attempt → retry? ]*
    const report = await runAttempts(request, pipeline, context);
    throwIfAddressRefused(report);
    // decode → validate → redact
    const applied = { schema, responseType: action.response_type ?? undefined, redactor };
    const body = await examine(report.result, applied, context, pipeline);
    // outcome
    return toOutcome(report, body, applied);
  });
}

/** The address guard stopped the first attempt: nothing was sent, so this is a refusal. */
function throwIfAddressRefused({ result, attempts }: AttemptsReport): void {
  if (attempts > 1 || !('fault' in result) || result.fault.addressRefused !== true) return;
  throw new Refusal('AddressNotAllowed', `${result.fault.message} ${NO_WAY_AROUND}`);
}

/** Undefined: there is no body, or only a part of one that should have been whole. */
function examine(
  result: AttemptResult,
  { schema, responseType: type = 'json', redactor }: Applied,
  { signal }: ExecutionContext,
  { examiner }: Pipeline,
): Promise<Examined> | undefined {
  if (!('response' in result)) return undefined;
  const { status, headers, body } = result.response;
  const { bytes, fault } = body;
  const ofEvents = fault === 'stream_timeout' || fault === 'stream_broken';
  const cut = fault !== undefined && !ofEvents;
  const hidden = isSuccess(status) && fault !== 'event_stream';
  if (cut && (hidden || bytes.length === 0)) return undefined;
  const applied = isSuccess(status) && !ofEvents ? schema : undefined;
  const { 'content-type': named } = headers;
  const contentType = Array.isArray(named) ? named[0] : named;
  const textChars = shownChars(status);
  const shown = { cut, type: ofEvents ? 'text' : type, contentType, textChars } as const;
  const received = { ...shown, bytes, redactor, schema: applied };
  return examiner.examine(received, signal);
}

function explain(
  value: unknown,
  violations: readonly Violation[],
  { redactorFor, maxRequestBytes }: Pipeline,
): Violation[] {
  const read = headersOf(value);
  // Other violations might repeat a credential of headers that were not read.
  if (read.beyondLimits) return read.violations;
  try {
    const refused = inspectAction(value, maxRequestBytes);
    return redactViolations([...violations, ...refused], redactorFor(read.headers));
  } catch (error) {
    if (error instanceof Refusal) return [...(error.violations ?? [])];
    throw error;
  }
}
