import type { ServerResponse } from 'node:http';
import { EXECUTOR_PATHS, REPLAYED_HEADER } from '@gatehouse/contracts';
import { Cancelled, type Executor, Refusal } from '@gatehouse/http-executor';
import {
  addLogFields,
  ProblemReply,
  type Request,
  requestLogger,
  type Server,
  strictValidator,
} from '@gatehouse/service';
import { executeSchema } from '../documentation.ts';
import { type executionTelemetry, upstreamFields } from '../execution-telemetry.ts';

/** The executor's guard validates actions, so that it can list all violations at once. */
const anyBody = (value: unknown) => ({ ok: true as const, value });

/** Serves `POST /execute` (docs/contract.md, "Outcomes"). */
export function serveExecute(
  app: Server,
  executor: Executor,
  watch: ReturnType<typeof executionTelemetry>,
): void {
  const validatorCompiler = strictValidator('InvalidAction', anyBody);
  const options = { schema: executeSchema, validatorCompiler };
  app.post(EXECUTOR_PATHS.execute, options, async (request, reply) => {
    const { signal, delivered } = watchCaller(reply.raw);
    const execution = watch(request, signal);
    const dryRun = request.query.dry_run === 'true';
    try {
      if (dryRun) return await executor.dryRun(request.body, execution.context);

      const outcome = await executor.execute(request.body, { ...execution.context, delivered });
      execution.executed(outcome);
      if (outcome.replayed) reply.header(REPLAYED_HEADER, 'true');
      reply.type('application/json; charset=utf-8');
      // Returning `reply` would be slower, because Fastify adds listeners to a returned reply.
      return outcome.json;
    } catch (error) {
      const fields = upstreamFields(request.body);
      addLogFields(request, 'request', fields);
      if (error instanceof Refusal) throw execution.refused(refusedReply(request, error));

      if (!(error instanceof Cancelled)) throw error;

      if (!dryRun) execution.executed(undefined);
      requestLogger(request).warn(fields, 'execution cancelled');
      return reply.hijack();
    }
  });
}

/**
 * Returns a signal that is aborted if the connection closes before the reply is complete, and a
 * promise for the end of the reply. Fastify's `request.signal` is unsuitable, because it is aborted
 * once the request body is read.
 */
function watchCaller(raw: ServerResponse) {
  const controller = new AbortController();
  if (raw.socket?.destroyed === true) controller.abort();
  const delivered = new Promise<void>((resolve) => {
    raw.on('close', () => {
      if (!raw.writableFinished) controller.abort();
      resolve();
    });
  });
  return { signal: controller.signal, delivered };
}

function refusedReply(request: Request, { code, message, ...rest }: Refusal): ProblemReply {
  // Warn, because an operator, not the caller, must fix the cause.
  if (code === 'CredentialUnavailable')
    requestLogger(request).warn({ reason: message }, 'credential unavailable');
  return new ProblemReply(code, message, rest.violations, rest.retryAfterS);
}
