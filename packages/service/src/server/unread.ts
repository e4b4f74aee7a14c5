import { Socket } from 'node:net';
import { finished } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expectsContinue } from '../request/request-head.ts';

const MAX_DISCARDED_BYTES = 8 * 1024 * 1024;

/**
 * Closing a connection with unread bytes resets it and loses the reply (413, 401, 404 …). We
 * therefore discard up to 8 MiB of the rest of the body, and close after `ms`
 * (docs/contract.md, "Bodies").
 */
export function discardUnreadBody({ raw }: FastifyRequest, reply: FastifyReply, ms: number): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = raw.headers;
  if (raw.complete || (length === undefined && encoding === undefined)) return;
  // After a refusal the client may send its body or its next request. We cannot tell which, so we
  // close the connection.
  if (expectsContinue(raw.headers)) reply.header('connection', 'close');
  const timer = setTimeout(() => raw.socket.destroy(), ms);
  finished(raw, () => clearTimeout(timer));
  let left = MAX_DISCARDED_BYTES;
  raw.on('data', (chunk) => {
    left -= chunk.length;
    if (left < 0) raw.pause();
  });
}

/** Disconnects a caller that reads none of its reply for `ms` (docs/contract.md, "Bounds"). */
export function limitReading(request: FastifyRequest, { raw }: FastifyReply, ms: number): void {
  // Fastify's `inject` has no connection.
  if (!(request.raw.socket instanceof Socket)) return;
  raw.setTimeout(ms, () => raw.socket?.destroy(new Error('the caller did not read its reply')));
  // Must precede Node's own listener, which sets the timeout of an idle connection.
  raw.prependListener('finish', () => raw.setTimeout(0));
}
