import type { FastifyRequest } from 'fastify';
import type { Logger } from './logger.ts';

export type LogFields = Readonly<Record<string, unknown>>;

/** What a route adds to the log line of its request. */
interface Added {
  /** The message of the line, in place of `request`. */
  readonly event: string;
  readonly fields: LogFields;
}

/** Decorators of a server and of its requests; `logRequests` sets them. */
export const LOGGER = Symbol('logger');
export const ADDED = Symbol('log fields');

interface Decorated {
  [ADDED]?: Added | undefined;
}

/** What the routes have added to the log line of a request. */
export function addedTo(request: FastifyRequest): Added | undefined {
  return (request as Decorated)[ADDED];
}

/** Adds fields to the log line of a request and sets its message; earlier fields stay. */
export function addLogFields(request: FastifyRequest, event: string, fields: LogFields): void {
  const earlier = addedTo(request);
  (request as Decorated)[ADDED] = {
    event,
    fields: earlier === undefined ? fields : { ...earlier.fields, ...fields },
  };
}

/** A logger whose lines hold the id of the request. */
export function loggerOf(request: FastifyRequest): ReturnType<Logger['child']> {
  return request.server.getDecorator<Logger>(LOGGER).child({ request_id: request.id });
}
