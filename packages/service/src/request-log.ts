import { SERVICE_PATHS } from '@gatehouse/contracts';
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { pathOf } from './paths.ts';

/** Asked every few seconds by whatever watches the service. */
const PROBED: ReadonlySet<string> = new Set([SERVICE_PATHS.health, SERVICE_PATHS.ready]);

/** One log line per request, in place of Fastify's own, which hold the full URL with its query. */
export class RequestLog extends LogController {
  constructor() {
    super({ disableRequestLogging: true, requestIdLogLabel: 'request_id' });
  }

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    const { method, url, log } = request;
    const line = { method, path: pathOf(url), status: reply.statusCode, duration_ms: Math.round(reply.elapsedTime) };
    if (error) log.warn({ ...line, err: error }, 'request broken off');
    else log[PROBED.has(line.path) ? 'debug' : 'info'](line, 'request');
  }
}
