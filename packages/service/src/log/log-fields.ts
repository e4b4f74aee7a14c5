import type { FastifyRequest } from 'fastify';
import { traceIdOf } from '../request/trace-context.ts';
import type { Logger } from './logger.ts';

export type LogFields = Readonly<Record<string, unknown>>;

interface Added {
  /** Message of the log line; `request` if nothing was added. */
  readonly event: string;
  readonly fields: LogFields;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Additions to the request's log line. */
    added: Added | undefined;
  }
}

/** Adds fields to a request's log line, keeping earlier ones, and sets its message. */
export function addLogFields(request: FastifyRequest, event: string, fields: LogFields): void {
  request.added = { event, fields: { ...request.added?.fields, ...fields } };
}

export const LOGGER = Symbol('logger');

/** Returns a logger that adds the request's id, trace and caller to each line. */
export function requestLogger(request: FastifyRequest): ReturnType<Logger['child']> {
  const { id: request_id, caller } = request;
  const trace_id = traceIdOf(request);
  return request.server.getDecorator<Logger>(LOGGER).child({ request_id, trace_id, caller });
}
