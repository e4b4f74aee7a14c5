import { ActionArguments, EXECUTOR_PATHS, ExecuteQuery, type ExecutionOutcome } from '@gatehouse/contracts';
import { Cancelled, type ExecutionContext, type Executor, inspectAction, Refusal } from '@gatehouse/http-executor';
import {
  callerGone,
  loggerOf,
  ProblemError,
  type Reply,
  type Request,
  type Server,
  type Summary,
  summarise,
  traceHeaders,
  validatedBy,
} from '@gatehouse/service';
import { type Checked, compileCheck } from '@gatehouse/validation';

/** `POST /execute` (contract, section 3): 200 with an outcome once a request was attempted, else a problem. */
export function serveExecute(app: Server, executor: Executor): void {
  app.post(
    EXECUTOR_PATHS.execute,
    {
      schema: { body: ActionArguments, querystring: ExecuteQuery },
      validatorCompiler: validatedBy(checkAction, 'InvalidAction'),
    },
    async (request, reply) => {
      try {
        if (request.query.dry_run === 'true') return await executor.dryRun(request.body, callerGone(reply));
        const outcome = await executor.execute(request.body, contextOf(request, reply));
        summarise(request, summaryOf(request.body, outcome));
        return outcome;
      } catch (error) {
        if (error instanceof Refusal) throw new ProblemError(error.code, error.message, error.violations);
        if (!(error instanceof Cancelled)) throw error;
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

function contextOf(request: Request, reply: Reply): ExecutionContext {
  return {
    signal: callerGone(reply),
    traceHeaders: traceHeaders(request),
    onRetry: (event) => loggerOf(request).warn({ event: RETRY_EVENT, ...event }, RETRY_EVENT),
  };
}

/** Telemetry event of spec `http-executor.md` section 6. */
const RETRY_EVENT = 'executor_http.retry';

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
