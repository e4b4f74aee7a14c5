import { ActionArguments, EXECUTOR_PATHS, ExecuteQuery } from '@gatehouse/contracts';
import { Cancelled, type ExecutionContext, type Executor, inspectAction, Refusal } from '@gatehouse/http-executor';
import {
  callerGone,
  loggerOf,
  ProblemError,
  type Reply,
  type Request,
  type Server,
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
        return await executor.execute(request.body, contextOf(request, reply));
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
