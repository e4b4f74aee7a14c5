import type { FastifyRequest } from 'fastify';
import { traceIdOf } from '../request/trace-context.ts';
import type { Logger } from './logger.ts';

/** Members of a log line. */
export type LogFields = Readonly<Record<string, unknown>>;

interface Added {
  /** The message of the line, in place of `request`. */
  readonly event: string;
  readonly fields: LogFields;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** To its log line. */
    added: Added | undefined;
  }
}

/** Adds fields to the log line of a request and sets its message; earlier fields stay. */
export function addLogFields(request: FastifyRequest, event: string, fields: LogFields): void {
  request.added = { event, fields: { ...request.added?.fields, ...fields } };
}

/** The decorator of a server; `loggerOf` reads it. */
export const LOGGER = Symbol('logger');

/** A logger whose lines hold the id, the trace and the caller of the request. */
export function loggerOf(request: FastifyRequest): ReturnType<Logger['child']> {
  const { id: request_id, caller } = request;
  const trace_id = traceIdOf(request);
  return request.server.getDecorator<Logger>(LOGGER).child({ request_id, trace_id, caller });
}
