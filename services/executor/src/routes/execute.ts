import { ActionArguments, EXECUTOR_PATHS, ExecuteQuery, type ExecutionOutcome } from '@gatehouse/contracts';
import { Cancelled, type Executor, inspectAction, Refusal } from '@gatehouse/http-executor';
import {
  callerGone,
  loggerOf,
  ProblemError,
  type Request,
  type Server,
  type Summary,
  summarise,
  validatedBy,
} from '@gatehouse/service';
import { type Checked, compileCheck } from '@gatehouse/validation';
import type { ExecutionWatch } from '../execution-telemetry.ts';

/** `POST /execute` (contract, section 3): 200 with an outcome once a request was attempted, else a problem. */
export function serveExecute(app: Server, executor: Executor, watch: (request: Request) => ExecutionWatch): void {
  app.post(
    EXECUTOR_PATHS.execute,
    {
      schema: { body: ActionArguments, querystring: ExecuteQuery },
      validatorCompiler: validatedBy(checkAction, 'InvalidAction'),
    },
    async (request, reply) => {
      const signal = callerGone(reply);
      const execution = watch(request);
      const dryRun = request.query.dry_run === 'true';
      try {
        if (dryRun) return await executor.dryRun(request.body, signal);
        const outcome = await executor.execute(request.body, { signal, ...execution });
        execution.executed(outcome);
        summarise(request, summaryOf(request.body, outcome));
        return outcome;
      } catch (error) {
        if (error instanceof Refusal) throw new ProblemError(error.code, error.message, error.violations);
        if (!(error instanceof Cancelled)) throw error;
        if (!dryRun) execution.executed(undefined);
        loggerOf(request).info('the caller has gone away; the execution was cancelled');
        return reply.hijack();
      }
    },
  );
}

const matchesSchema = compileCheck(ActionArguments);

/** Lists what breaks the schema together with what the guard would refuse next, rather than one after the other. */
function checkAction(value: unknown): Checked<ActionArguments> {
  const checked = matchesSchema(value);
  return checked.ok ? checked : { ok: false, violations: [...checked.violations, ...inspectAction(value)] };
}

/** What the log says of an execution: where it went, without query, and what came of it. */
function summaryOf({ method, url }: ActionArguments, outcome: ExecutionOutcome): Summary {
  const { host, pathname } = new URL(url);
  const failure = outcome.outcome === 'failure' ? { error: outcome.error } : undefined;
  const fields = {
    upstream: { method: method.toUpperCase(), host, path: pathname, status: outcome.status },
    outcome: outcome.outcome,
    ...failure,
    attempts: outcome.attempts,
    attempt_ms: outcome.history.map(({ duration_ms }) => duration_ms),
    redactions: outcome.redactions,
  };
  return { event: 'execution', fields };
}
