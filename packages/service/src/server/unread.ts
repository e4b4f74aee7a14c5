import { Socket } from 'node:net';
import { finished } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expectsContinue } from '../request/request-head.ts';

/** How much of a body is read after its reply (contract, section 1). */
const MAX_DROPPED_BYTES = 8 * 1024 * 1024;

/**
 * Drops the rest of a request body that nobody reads (413, 401, 404 …), because closing with
 * unread bytes resets the connection and loses the reply. After 8 MiB reading stops, so that
 * the client looks for its reply; after `ms` the connection closes.
 */
export function dropUnreadBody({ raw }: FastifyRequest, reply: FastifyReply, ms: number): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = raw.headers;
  if (raw.complete || (length === undefined && encoding === undefined)) return;
  // Its client sends the next request, or the body, or closes: only one of these is safe.
  if (expectsContinue(raw.headers)) reply.header('connection', 'close');
  const timer = setTimeout(() => raw.socket.destroy(), ms);
  finished(raw, () => clearTimeout(timer));
  let left = MAX_DROPPED_BYTES;
  raw.on('data', (chunk) => {
    left -= chunk.length;
    if (left < 0) raw.pause();
  });
}

/** Disconnects a caller that reads nothing of its reply for so long (contract, section 3). */
export function limitReading(request: FastifyRequest, { raw }: FastifyReply, ms: number): void {
  // Fastify's `inject` has no connection.
  if (!(request.raw.socket instanceof Socket)) return;
  raw.setTimeout(ms, () => raw.socket?.destroy(new Error('the caller did not read its answer')));
  // Before Node's own listener, which sets the time for an idle connection.
  raw.prependListener('finish', () => raw.setTimeout(0));
}
