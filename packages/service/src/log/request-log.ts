import { pathOf } from '../request/path.ts';
import { traceIdOf } from '../request/trace-context.ts';
import { isProbe } from '../server/health.ts';
import type { RequestEnded } from '../server/in-flight.ts';
import type { Logger } from './logger.ts';

const UNAUTHORIZED = 401;

/** Logs one line per request. The path has no query, because a query may hold secrets. */
export function logRequests(logger: Logger): RequestEnded {
  return (request, reply, durationMs) => {
    const path = pathOf(request.url);
    const line = {
      request_id: request.id,
      trace_id: traceIdOf(request),
      caller: request.caller,
      method: request.method,
      path,
      status: reply.statusCode,
      duration_ms: Math.round(durationMs * 100) / 100,
      remote: reply.statusCode === UNAUTHORIZED ? request.ip : undefined,
    };
    const { event = 'request', fields } = request.added ?? {};
    const all = { ...line, ...fields };
    const reason = request.raw.socket.errored?.message;
    if (!reply.raw.writableFinished) logger.warn({ ...line, reason }, 'request broken off');
    // The sandbox refused an action, so a planner may be misbehaving.
    else if (reply.statusCode === 403) logger.warn(all, event);
    else if (isProbe(path) && reply.statusCode !== UNAUTHORIZED) logger.debug(all, 'request');
    else logger.info(all, event);
  };
}
