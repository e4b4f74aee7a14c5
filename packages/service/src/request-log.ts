import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { pathOf } from './paths.ts';

/** One log line per request, in place of Fastify's own, which hold the full URL with its query. */
export class RequestLog extends LogController {
  constructor() {
    super({ disableRequestLogging: true, requestIdLogLabel: 'request_id' });
  }

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    const { method, url, log } = request;
    const line = { method, path: pathOf(url), status: reply.statusCode, duration_ms: Math.round(reply.elapsedTime) };
    if (error) log.warn({ ...line, err: error }, 'request broken off');
    else log.info(line, 'request');
  }
}
