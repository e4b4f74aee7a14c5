import type { FastifyRequest } from 'fastify';
import { type DestinationStream, type Logger as Pino, pino } from 'pino';
import { isProbe, pathOf, traceIdOf } from '../request/request-head.ts';
import type { RequestEnded } from '../telemetry/metrics.ts';
import { type LogFields, type TerminalLines, terminalLines } from './terminal.ts';

export type Logger = Pino;

/**
 * Batches writes, because each write wakes another thread, which costs more than logging many
 * lines. Larger batches would live long enough to burden garbage collection. Drops lines if the
 * reader is 64 MiB behind.
 */
const BATCHES = {
  sync: false,
  minLength: 32 * 1024,
  maxWrite: 64 * 1024,
  periodicFlush: 100,
  maxLength: 64 * 1024 * 1024,
  // In text mode, sonic-boom would measure the whole batch again for each line.
  contentMode: 'buffer',
} as const;

/**
 * Logs JSON lines to standard output without blocking requests. If a write fails, for example
 * on a full disk, the logger reports this once on standard error and drops all further lines.
 */
export function createLogger(service: string, level: string): Logger {
  const output = pino.destination({ dest: 1, ...BATCHES });
  let broken = false;
  output.once('error', ({ message }: Error) => {
    broken = true;
    // Otherwise pino would retry the buffered lines when the process ends, and fail again.
    output.destroy();
    process.stderr.write(`The log cannot be written, so no more lines will follow: ${message}\n`);
  });
  output.once('drop', () =>
    process.stderr.write('The log reader is too slow, so lines are being lost.\n'),
  );
  const destination = {
    // In buffer mode, sonic-boom takes bytes, although its type says text.
    write: (text: string) => broken || output.write(Buffer.from(text) as unknown as string),
    flush: (done: (error?: Error) => void) => (broken ? done() : output.flush(done)),
  };
  return loggerTo(destination, level, service);
}

/** Logs readable lines to standard output, which must be a terminal. */
export function createTerminalLogger(service: string, level: string, lines: TerminalLines): Logger {
  const readable = terminalLines(lines, () => process.stdout.columns);
  return loggerTo({ write: (text) => process.stdout.write(readable(text)) }, level, service);
}

export function loggerTo(
  destination: Pick<DestinationStream, 'write'>,
  level: string,
  service: string,
): Logger {
  const timestamp = pino.stdTimeFunctions.isoTime;
  const formatters = { level: (label: string) => ({ level: label }) };
  return pino({ level, base: { service }, timestamp, formatters }, destination);
}

interface Added {
  /** Message of the log line. The default is `request`. */
  readonly event: string;
  readonly fields: LogFields;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Additions to the request's log line. */
    added: Added | undefined;
  }
}

/** Sets the message of a request's log line, and adds fields to those already added. */
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

const UNAUTHORIZED = 401;

/** Logs one line per request. The query is left out of the path, because it may hold secrets. */
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
    if (!reply.raw.writableFinished) logger.warn({ ...line, reason }, 'request aborted');
    // A 403 means that an action was refused, so a planner may be misbehaving.
    else if (reply.statusCode === 403) logger.warn(all, event);
    else if (isProbe(path) && reply.statusCode !== UNAUTHORIZED) logger.debug(all, 'request');
    else logger.info(all, event);
  };
}
