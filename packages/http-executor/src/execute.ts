import type { ActionArguments, DryRun, Violation } from '@gatehouse/contracts';
import { type AttemptDeps, type AttemptOptions, attempt } from './attempt/attempt.ts';
import { type AttemptResult, isSuccess } from './attempt/result.ts';
import { dryRun } from './dry-run.ts';
import { NO_WAY_AROUND, Refusal } from './errors.ts';
import { guard, inspectAction } from './guard/guard.ts';
import { type Outcome, toOutcome } from './outcome/outcome.ts';
import type { Redactor } from './redact/redactor.ts';
import { readActionHeaders, redactRefusal, redactViolations } from './redact/refusals.ts';
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
 * The request that a planner asks for. Pass `body` and `response_schema` as `JsonText` to keep
 * every digit of their numbers.
 */
export type Action = ActionArguments;

export interface ExecutionContext
  extends Pick<AttemptOptions, 'signal' | 'observe' | 'traceHeaders'> {
  readonly onRetry?: (event: RetryEvent) => void;
}

export interface Executor {
  /**
   * @throws {Refusal} when the action is malformed or leaves the sandbox; nothing was sent.
   * @throws {Cancelled} when the caller has gone away.
   */
  execute(action: Action, context: ExecutionContext): Promise<Outcome>;
  /** Checks an action and resolves its host without connecting; throws the same errors. */
  dryRun(action: Action, caller: AbortSignal): Promise<DryRun>;
  /** Adds the guard's violations to those of the action schema, and redacts all of them. */
  explain(value: unknown, violations: readonly Violation[]): Violation[];
}

interface Pipeline extends AttemptDeps, AttemptsDeps {
  readonly preview: Preview;
  readonly maxRequestBytes: number;
  readonly slots: Slots;
  readonly examiner: Examiner;
  readonly redactorFor: (requestHeaders: ReadonlyMap<string, string>) => Redactor;
}

export function createExecutor(pipeline: Pipeline): Executor {
  const throwRedacted = (error: unknown, action: Action): never => {
    if (!(error instanceof Refusal)) throw error;
    throw redactRefusal(error, pipeline.redactorFor(readActionHeaders(action).headers));
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
  // Keep the slot until the outcome is ready, because slots also bound the bodies in memory.
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

/** A refused address is a refusal only if no earlier attempt was sent. */
function throwIfAddressRefused({ result, attempts }: AttemptsReport): void {
  if (attempts > 1 || !('fault' in result) || result.fault.addressRefused !== true) return;
  throw new Refusal('AddressNotAllowed', `${result.fault.message} ${NO_WAY_AROUND}`);
}

/** Characters that an outcome shows of a body of the wrong type. */
const FAILURE_CHARS = 2_000;
const SUCCESS_CHARS = 200;

/** Returns undefined without a response, or if its body must not be shown. */
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
    textChars: isSuccess(status) ? SUCCESS_CHARS : FAILURE_CHARS,
    redactor,
    schema: isSuccess(status) ? schema : undefined,
  };
}

function explain(
  value: unknown,
  violations: readonly Violation[],
  { redactorFor, maxRequestBytes }: Pipeline,
): Violation[] {
  const read = readActionHeaders(value);
  // Without the headers we do not know the secrets, which other violations might repeat.
  if (read.beyondLimits) return read.violations;
  try {
    const refused = inspectAction(value, maxRequestBytes);
    return redactViolations([...violations, ...refused], redactorFor(read.headers));
  } catch (error) {
    if (error instanceof Refusal) return [...(error.violations ?? [])];
    throw error;
  }
}
