import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isProbe } from './health.ts';
import type { Logger } from './logger.ts';
import { pathOf } from './paths.ts';
import type { RequestEnded } from './requests.ts';

/** What a route adds to the line of its request. */
export interface Summary {
  /** The message of the line, in place of `request`. */
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const LOGGER = Symbol('logger');
const SUMMARY = Symbol('summary');

/** A request as `logRequests` has decorated it. */
interface Summarised {
  [SUMMARY]?: Summary | undefined;
}

/**
 * One log line per request, its path without query; in place of Fastify's own log, which makes a logger and two
 * listeners for every request and does not see those that were broken off.
 */
export function logRequests(app: FastifyInstance, logger: Logger): RequestEnded {
  app.decorate(LOGGER, logger);
  app.decorateRequest(SUMMARY, undefined);
  return (request, reply, durationMs) => {
    const path = pathOf(request.url);
    const line = {
      request_id: request.id,
      method: request.method,
      path,
      status: reply.statusCode,
      duration_ms: Math.round(durationMs * 100) / 100,
    };
    const summary = (request as Summarised)[SUMMARY];
    if (!reply.raw.writableFinished) logger.warn({ ...line, ...reasonOf(request) }, 'request broken off');
    else if (summary !== undefined) logger.line(summary.event, line, summary.fields);
    else if (isProbe(path)) logger.debug(line, 'request');
    else logger.line('request', line);
  };
}

/** Why the connection has ended, where it did not end as connections do. */
function reasonOf({ raw }: FastifyRequest): { reason?: string } {
  const { errored } = raw.socket;
  return errored === null ? {} : { reason: errored.message };
}

/** A logger whose lines hold the id of the request. */
export function loggerOf(request: FastifyRequest): ReturnType<Logger['child']> {
  return request.server.getDecorator<Logger>(LOGGER).child({ request_id: request.id });
}

/** Has the line of the request say what came of it; fields that were given before stay. */
export function summarise(request: FastifyRequest, { event, fields }: Summary): void {
  const earlier = (request as Summarised)[SUMMARY];
  (request as Summarised)[SUMMARY] = {
    event,
    fields: earlier === undefined ? fields : { ...earlier.fields, ...fields },
  };
}
