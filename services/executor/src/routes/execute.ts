import type { ServerResponse } from 'node:http';
import { ActionArguments, EXECUTOR_PATHS } from '@gatehouse/contracts';
import { Cancelled, type Executor, Refusal } from '@gatehouse/http-executor';
import {
  addLogFields,
  ProblemReply,
  type Request,
  requestLogger,
  type Server,
  strictValidator,
} from '@gatehouse/service';
import { compileValidator } from '@gatehouse/validation';
import { executeSchema } from '../documentation.ts';
import { type executionTelemetry, upstreamFields } from '../execution-telemetry.ts';

/** Serves `POST /execute` (docs/contract.md, "Outcomes"). */
export function serveExecute(
  app: Server,
  executor: Executor,
  watch: ReturnType<typeof executionTelemetry>,
): void {
  const validatorCompiler = strictValidator('InvalidAction', checkAction(executor));
  const options = { schema: executeSchema, validatorCompiler };
  app.post(EXECUTOR_PATHS.execute, options, async (request, reply) => {
    const signal = abortOnClose(reply);
    const execution = watch(request, signal);
    const dryRun = request.query.dry_run === 'true';
    try {
      if (dryRun) return await executor.dryRun(request.body, execution.context);
      const outcome = await executor.execute(request.body, execution.context);
      execution.executed(outcome);
      reply.type('application/json; charset=utf-8');
      // Returning `reply` would be slower, because Fastify adds listeners to a returned reply.
      return outcome.json;
    } catch (error) {
      const fields = upstreamFields(request.body);
      addLogFields(request, 'request', fields);
      if (error instanceof Refusal) throw refusedReply(request, error);
      if (!(error instanceof Cancelled)) throw error;
      if (!dryRun) execution.executed(undefined);
      requestLogger(request).warn(fields, 'execution cancelled');
      return reply.hijack();
    }
  });
}

/**
 * Returns a signal that is aborted if the connection closes before the reply is complete.
 * Fastify's `request.signal` is unsuitable, because it is aborted once the request body is read.
 */
function abortOnClose({ raw }: { readonly raw: ServerResponse }): AbortSignal {
  const controller = new AbortController();
  if (raw.socket?.destroyed === true) controller.abort();
  raw.on('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

function refusedReply(request: Request, { code, message, ...rest }: Refusal): ProblemReply {
  // Warn, because an operator, not the caller, must fix the cause.
  if (code === 'CredentialUnavailable')
    requestLogger(request).warn({ reason: message }, 'credential unavailable');
  return new ProblemReply(code, message, rest.violations, rest.retryAfterS);
}

const checkSchema = compileValidator(ActionArguments);

/** Validates an action. If the action violates its schema, also lists other violations. */
const checkAction = (executor: Executor) => (value: unknown) => {
  const checked = checkSchema(value);
  if (checked.ok) return checked;
  return { ok: false as const, violations: executor.explain(value, checked.violations) };
};
