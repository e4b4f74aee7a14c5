import { finished } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expectsContinue } from './request-head.ts';

const MAX_DISCARDED_BYTES = 8 * 1024 * 1024;

/**
 * Discards up to 8 MiB of an unread request body, for at most `ms` milliseconds (docs/contract.md,
 * "Bodies"). Closing a connection with unread bytes would reset the connection and lose the reply.
 */
export function discardUnreadBody({ raw }: FastifyRequest, reply: FastifyReply, ms: number): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = raw.headers;
  if (raw.complete || (length === undefined && encoding === undefined)) return;
  // A client that was waiting for `100 Continue` may now send either its body or a new request.
  // Close the connection, because the server could mistake the bytes of the body for a request.
  if (expectsContinue(raw.headers)) reply.header('connection', 'close');
  const timer = setTimeout(() => raw.socket.destroy(), ms);
  finished(raw, () => clearTimeout(timer));
  let left = MAX_DISCARDED_BYTES;
  raw.on('data', (chunk) => {
    left -= chunk.length;
    if (left < 0) raw.pause();
  });
}
