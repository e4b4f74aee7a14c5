import type { FastifyRequest } from 'fastify';
import type { Logger } from './logger.ts';

/** What a route adds to the line of its request. */
export interface Summary {
  /** The message of the line, in place of `request`. */
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Decorators of a server and of its requests, which `logRequests` sets. */
export const LOGGER = Symbol('logger');
export const SUMMARY = Symbol('summary');

interface Summarised {
  [SUMMARY]?: Summary | undefined;
}

/** What was added to the line of a request so far. */
export function summaryOf(request: FastifyRequest): Summary | undefined {
  return (request as Summarised)[SUMMARY];
}

/**
 * Has the line of the request say what came of it; fields that were given before stay.
 */
export function summarise(request: FastifyRequest, { event, fields }: Summary): void {
  const earlier = summaryOf(request);
  (request as Summarised)[SUMMARY] = {
    event,
    fields: earlier === undefined ? fields : { ...earlier.fields, ...fields },
  };
}

/** A logger whose lines hold the id of the request. */
export function loggerOf(request: FastifyRequest): ReturnType<Logger['child']> {
  return request.server.getDecorator<Logger>(LOGGER).child({ request_id: request.id });
}
