import type { ActionArguments, DryRun, Violation } from '@gatehouse/contracts';
import { type AttemptDeps, type AttemptOptions, attempt } from './attempt/attempt.ts';
import { type AttemptResult, isSuccess } from './attempt/result.ts';
import { dryRun } from './dry-run.ts';
import { NO_WAY_AROUND, Refusal } from './errors.ts';
import { guard, inspectAction } from './guard/guard.ts';
import { type Outcome, toOutcome } from './outcome/outcome.ts';
import type { Redactor } from './redact/redactor.ts';
import { headersOf, redactRefusal, redactViolations } from './redact/refusals.ts';
import {
  Attempts,
  type AttemptsDeps,
  type AttemptsReport,
  type RetryEvent,
} from './retry/attempts.ts';
import { decideRetry, RETRY_POLICY, type RetryDecision } from './retry/retry-decision.ts';
import type { Slots } from './slots.ts';
import type { BodyToExamine, Examiner } from './threads/examiner.ts';
import type { Preview } from './transport.ts';
import { compileSchema } from './validate/response-schemas.ts';

/**
 * What a planner asks for. A `body` or `response_schema` given as a `JsonText` keeps every
 * digit; a parsed value may have lost some.
 */
export type Action = ActionArguments;

export interface ExecutionContext
  extends Pick<AttemptOptions, 'signal' | 'observe' | 'traceHeaders'> {
  readonly onRetry?: (event: RetryEvent) => void;
}

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

/** What the stages need; sizes are bytes. */
export interface Pipeline extends AttemptDeps, AttemptsDeps {
  readonly preview: Preview;
  readonly maxRequestBytes: number;
  readonly slots: Slots;
  readonly examiner: Examiner;
  readonly redactorFor: (requestHeaders: ReadonlyMap<string, string>) => Redactor;
}

export function createExecutor(pipeline: Pipeline): Executor {
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
  const { sandbox, maxRequestBytes, slots, examiner } = pipeline;
  const request = guard(action, sandbox, maxRequestBytes);
  const redactor = pipeline.redactorFor(request.headers);
  const schema = await compileSchema(action, examiner);
  // The slot is kept until the outcome is ready, so that bodies in memory are bounded.
  return slots.run(request.url.host, context.signal, async () => {
    const attempts = new Attempts(request, pipeline);
    const readEvents = (action.response_type ?? 'json') !== 'json';
    let result: AttemptResult;
    let decision: RetryDecision;
    do {
      result = await attempt(request, pipeline, { ...attempts.begin(), ...context, readEvents });
      decision = decideRetry(RETRY_POLICY, attempts.end(result));
    } while (decision.retry && (await attempts.wait(decision.delayMs, context)));
    const report = attempts.report(result, decision.retry ? 'draining' : decision.reason);

    throwIfAddressRefused(report);

    const body = bodyOf(report.result, action, { redactor, schema });
    const shown = body && (await examiner.decodeValidateRedact(body));

    return toOutcome(report, shown, action.response_type ?? undefined, redactor);
  });
}

/** The address guard stopped the first attempt: nothing was sent, so this is a refusal. */
function throwIfAddressRefused({ result, attempts }: AttemptsReport): void {
  if (attempts > 1 || !('fault' in result) || result.fault.addressRefused !== true) return;
  throw new Refusal('AddressNotAllowed', `${result.fault.message} ${NO_WAY_AROUND}`);
}

/** Characters shown of a body of another type than asked for: of an error page, of a success. */
const TEXT_CHARS = 2_000;
const EXCERPT_CHARS = 200;

/** Undefined: there is no body, or only a part of one that should have been whole. */
function bodyOf(
  result: AttemptResult,
  action: Action,
  { redactor, schema }: Pick<BodyToExamine, 'redactor' | 'schema'>,
): BodyToExamine | undefined {
  if (!('response' in result)) return undefined;
  const { status, headers, body } = result.response;
  const { bytes, fault } = body;
  const cut = fault !== undefined;
  if (cut && (isSuccess(status) || bytes.length === 0)) return undefined;
  return {
    bytes,
    cut,
    type: action.response_type ?? 'json',
    contentType: [headers['content-type']].flat()[0],
    textChars: isSuccess(status) ? EXCERPT_CHARS : TEXT_CHARS,
    redactor,
    schema: isSuccess(status) ? schema : undefined,
  };
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
