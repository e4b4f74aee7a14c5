import type { ServerResponse } from 'node:http';
import { ActionArguments, EXECUTOR_PATHS } from '@gatehouse/contracts';
import { Cancelled, type Executor, Refusal } from '@gatehouse/http-executor';
import {
  addLogFields,
  type LogFields,
  ProblemReply,
  type Request,
  requestLogger,
  type Server,
  validatedBy,
} from '@gatehouse/service';
import { type Checked, compileValidator } from '@gatehouse/validation';
import { executeSchema } from '../documentation.ts';
import type { ExecutionWatch } from '../execution-telemetry.ts';

/** Serves `POST /execute` (docs/contract.md, "Outcomes"). */
export function serveExecute(
  app: Server,
  executor: Executor,
  watch: (request: Request, signal: AbortSignal) => ExecutionWatch,
): void {
  app.post(
    EXECUTOR_PATHS.execute,
    {
      schema: executeSchema,
      validatorCompiler: validatedBy(checkAction(executor), 'InvalidAction'),
    },
    async (request, reply) => {
      const signal = abortOnClose(reply);
      const execution = watch(request, signal);
      const dryRun = request.query.dry_run === 'true';
      try {
        if (dryRun) return await executor.dryRun(request.body, execution.context);
        const outcome = await executor.execute(request.body, execution.context);
        execution.executed(outcome);
        reply.type(JSON_UTF8);
        // Returning the JSON is faster than `return reply.send(…)`, where Fastify adds listeners to
        // the stream.
        return outcome.json;
      } catch (error) {
        addLogFields(request, 'request', refusedFields(request.body));
        if (error instanceof Refusal)
          throw new ProblemReply(error.code, error.message, error.violations, error.retryAfterS);
        if (!(error instanceof Cancelled)) throw error;
        if (!dryRun) execution.executed(undefined);
        requestLogger(request).info('the caller disconnected, so the execution was cancelled');
        return reply.hijack();
      }
    },
  );
}

/**
 * Aborts if the connection closes before the reply is complete. Fastify's own signal is unsuitable,
 * because it aborts after every request body.
 */
function abortOnClose({ raw }: { readonly raw: ServerResponse }): AbortSignal {
  const controller = new AbortController();
  if (raw.socket?.destroyed === true) controller.abort();
  raw.on('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** Returns the log fields of a refused action. They omit the query of the URL. */
function refusedFields({ method, url }: ActionArguments): LogFields {
  const { host, pathname } = URL.parse(url) ?? {};
  return { upstream: { method: method.toUpperCase(), host, path: pathname } };
}

const JSON_UTF8 = 'application/json; charset=utf-8';

const matchesSchema = compileValidator(ActionArguments);

/**
 * Checks an action, and lists the schema violations together with anything the guard would refuse.
 */
function checkAction(executor: Executor) {
  return (value: unknown): Checked<ActionArguments> => {
    const checked = matchesSchema(value);
    return checked.ok
      ? checked
      : { ok: false, violations: executor.explain(value, checked.violations) };
  };
}
