import type { FastifyReply, FastifyRequest } from 'fastify';
import { type DestinationStream, type Logger as Pino, pino } from 'pino';
import { isProbe, pathOf } from '../http/paths.ts';
import { type LogFields, type Summaries, terminal } from './terminal.ts';
import { traceIdOf } from './trace-requests.ts';

export type Logger = Pino;

/**
 * Batches lines, because each write to the log wakes another thread. A batch is at most 64 KiB,
 * because larger batches would slow down garbage collection.
 */
const BATCHES = {
  sync: false,
  minLength: 32 * 1024,
  maxWrite: 64 * 1024,
  periodicFlush: 100,
  // Drop lines once the log reader is 64 MiB behind.
  maxLength: 64 * 1024 * 1024,
  // In text mode, sonic-boom would recompute the size of the whole batch for each new line.
  contentMode: 'buffer',
} as const;

/** Time that a log reader has, once the process exits, to read the last lines. */
const EXIT_MS = 500;

/**
 * Logs JSON lines to standard output without blocking requests. If a write fails, for example
 * because the disk is full, logging stops with one message on standard error.
 */
export function createLogger(service: string, level: string): Logger {
  let giveUpAt = Number.POSITIVE_INFINITY;
  // Run before pino's own listener, which would wait forever for a reader that no longer reads.
  process.once('exit', () => {
    giveUpAt = Date.now() + EXIT_MS;
    try {
      output.flushSync();
    } catch {
      output.destroy();
      process.stderr.write('The log reader is too slow, so the last log lines are lost.\n');
    }
  });
  const retryEAGAIN = () => Date.now() < giveUpAt;
  const output = pino.destination({ dest: 1, ...BATCHES, retryEAGAIN });
  let broken = false;
  output.once('error', ({ message }: Error) => {
    broken = true;
    // Without `destroy`, pino would try to write the failed lines again when the process ends.
    output.destroy();
    process.stderr.write(`The log cannot be written, so no more lines will follow: ${message}\n`);
  });
  output.once('drop', () =>
    process.stderr.write('The log reader is too slow, so log lines are being lost.\n'),
  );
  const destination = {
    // In buffer mode, sonic-boom expects bytes, although its type says `string`.
    write: (text: string) => broken || output.write(Buffer.from(text) as unknown as string),
    flush: (done: (error?: Error) => void) => (broken ? done() : output.flush(done)),
  };
  return loggerTo(destination, level, service);
}

export async function createTerminalLogger(service: string, level: string, summaries: Summaries) {
  const readable = await terminal(summaries, (text) => process.stdout.write(text));
  return loggerTo(readable, level, service);
}

export function loggerTo(destination: DestinationStream, level: string, service: string): Logger {
  const timestamp = pino.stdTimeFunctions.isoTime;
  const formatters = { level: (label: string) => ({ level: label }) };
  return pino({ level, base: { service }, timestamp, formatters }, destination);
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Extra fields for the request's log line, and a message to log instead of `request`. */
    added: { readonly event: string; readonly fields: LogFields } | undefined;
  }
}

/** Sets the message of a request's log line and adds fields to the line. */
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

/** Callback that runs when a request has ended, even if its reply is incomplete. */
export type RequestEnded = (req: FastifyRequest, reply: FastifyReply, durationMs: number) => void;

/** Logs one line per request, without the URL's query, because a query may hold secrets. */
export function logRequests(logger: Logger): RequestEnded {
  return (request, reply, durationMs) => {
    const path = pathOf(request.url);
    const isUnauthorized = reply.statusCode === 401;
    const line = {
      request_id: request.id,
      trace_id: traceIdOf(request),
      caller: request.caller,
      method: request.method,
      path,
      status: reply.statusCode,
      duration_ms: Math.round(durationMs * 100) / 100,
      remote: isUnauthorized ? request.ip : undefined,
    };
    const { event = 'request', fields } = request.added ?? {};
    const all = { ...line, ...fields };
    const reason = request.raw.socket.errored?.message ?? fields?.reason;
    // Log no status for a request that is aborted before its reply, because Fastify reports 200.
    const status = reply.raw.headersSent ? reply.statusCode : undefined;
    if (!reply.raw.writableFinished) logger.warn({ ...all, status, reason }, 'request aborted');
    // Log a refused action (403) as a warning, because the planner may be misbehaving.
    else if (reply.statusCode === 403) logger.warn(all, event);
    else if (isProbe(path) && !isUnauthorized) logger.debug(all, 'request');
    else logger.info(all, event);
  };
}
