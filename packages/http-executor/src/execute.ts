import type { ActionArguments, DryRun, Violation } from '@gatehouse/contracts';
import type { RateLimits, Slots } from './admission.ts';
import { type AttemptDeps, type AttemptOptions, attempt } from './attempt/attempt.ts';
import { Authentication } from './credentials/authentication.ts';
import { type DryRunDeps, dryRun } from './dry-run.ts';
import { NO_WAY_AROUND, Refusal } from './errors.ts';
import { credentialOf, guard } from './guard/guard.ts';
import { readActionHeaders } from './guard/request-headers.ts';
import { type Outcome, toOutcome } from './outcome/outcome.ts';
import { type ExplainDeps, explain, redactRefusal } from './redact/refusals.ts';
import {
  Attempts,
  type AttemptsDeps,
  type AttemptsReport,
  type RetryContext,
} from './retry/attempts.ts';
import { bodyToExamine, type Examiner } from './threads/examiner.ts';

export interface ExecutionContext extends Pick<AttemptOptions, 'observe'>, RetryContext {
  readonly caller?: string | undefined;
}

export interface Executor {
  /**
   * Executes an action. Pass `body` and `response_schema` as `JsonText` to keep all digits.
   * @throws {Refusal} when nothing was sent, for example because the action is malformed.
   * @throws {Cancelled} when the caller has disconnected or the executor was closed.
   */
  execute(action: ActionArguments, context: ExecutionContext): Promise<Outcome>;
  /** Checks an action and resolves its host without connecting. Throws what `execute` throws. */
  dryRun(
    action: ActionArguments,
    context: Pick<ExecutionContext, 'signal' | 'caller'>,
  ): Promise<DryRun>;
  /** Returns `violations` plus the violations in the URL, headers and body. Redacts secrets. */
  explain(value: unknown, violations: readonly Violation[]): Violation[];
}

interface Pipeline extends AttemptDeps, AttemptsDeps, DryRunDeps, ExplainDeps {
  readonly slots: Slots;
  readonly examiner: Examiner;
  readonly rates: RateLimits;
}

export function createExecutor(pipeline: Pipeline): Executor {
  const redactErrors = (action: ActionArguments) => (error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
    throw redactRefusal(error, pipeline.redactorFor(readActionHeaders(action).headers));
  };
  return {
    execute: (action, context) => execute(action, context, pipeline).catch(redactErrors(action)),
    dryRun: (action, context) => dryRun(action, pipeline, context).catch(redactErrors(action)),
    explain: (value, violations) => explain(value, violations, pipeline),
  };
}

/** Steps: action → guard → [ attempt → retry? ]* → decode → validate → redact → outcome */
async function execute(action: ActionArguments, context: ExecutionContext, pipeline: Pipeline) {
  const { slots, rates, examiner, redactorFor } = pipeline;
  const request = guard(action, pipeline, context.caller);
  const callerRedactor = redactorFor(request.headers);
  const { response_schema } = action;
  const schema = response_schema == null ? undefined : await examiner.compile(response_schema);
  // Check the rate first, so that an execution over the rate limit does not wait for a slot.
  // Keep the slot until the outcome is ready, because the response stays in memory until then.
  return rates.run(request.route, () =>
    slots.run(request, context.signal, async () => {
      const attempts = new Attempts(request, pipeline);
      const authentication = new Authentication(credentialOf(request.route));
      const type = action.response_type ?? 'json';
      let report: AttemptsReport | undefined;
      do {
        const credential = await authentication.header(attempts.timeLeft(context.signal));
        const options = { ...attempts.begin(), ...context, readEvents: type !== 'json' };
        const result = await attempt({ ...request, credential }, pipeline, options);
        report = await attempts.reportOrWait(result, authentication, context);
      } while (report === undefined);

      throwIfAddressRefused(report);

      const { used, unavailableReason } = authentication;
      const redactor = used.length === 0 ? callerRedactor : redactorFor(request.headers, used);
      const body = bodyToExamine(report.result, type, { redactor, schema });
      const shown = body && (await examiner.decodeValidateRedact(body));

      const outcome = toOutcome(report, shown, action.response_type ?? undefined, redactor);
      return { ...outcome, reason: outcome.reason ?? unavailableReason };
    }),
  );
}

/** Throws a refusal if the only attempt sent nothing because the sandbox refused the address. */
function throwIfAddressRefused({ result, attempts }: AttemptsReport): void {
  if (attempts > 1 || !('fault' in result) || result.fault.addressRefused !== true) return;
  throw new Refusal('AddressNotAllowed', `${result.fault.message} ${NO_WAY_AROUND}`);
}
