import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** Time limits after which a slow client's connection is closed. */
export const CLIENT_TIMES = {
  /** Time limit for the TLS handshake. After this time, we disconnect without a 408 response. */
  handshakeMs: 10_000,
  /** INVARIANT: `headersMs` is less than `requestMs`, or Node would swap the two limits. */
  headersMs: 15_000,
  requestMs: 30_000,
  /** Interval at which Node checks `headersMs` and `requestMs`. */
  checkMs: 5_000,
  /** Time limit for reading the rest of a body after our reply (docs/contract.md, "Bodies"). */
  discardMs: 5_000,
  /** Maximum time that a client can leave its reply unread (docs/contract.md, "Bounds"). */
  readingMs: 20_000,
};

export type ClientTimes = Readonly<typeof CLIENT_TIMES>;

const MAX_DISCARDED_BYTES = 8 * 1024 * 1024;

/**
 * Discards up to 8 MiB of an unread request body, for at most `ms` milliseconds, and then closes
 * the connection (docs/contract.md, "Bodies"). Closing a connection with unread bytes would reset
 * the connection and lose the reply.
 */
export function discardUnreadBody(reply: FastifyReply, ms: number): void {
  const { raw } = reply.request;
  const { 'content-length': length, 'transfer-encoding': encoding } = raw.headers;
  if (raw.complete || (length === undefined && encoding === undefined)) return;
  // After the reply, a client or proxy may stop sending the body and reuse the connection. Send
  // `connection: close`, because Node would read the next request as part of the unfinished body.
  reply.header('connection', 'close');
  closeAfterBody(raw);
  const timer = setTimeout(() => raw.socket.destroy(), ms);
  finished(raw, () => clearTimeout(timer));
  let left = MAX_DISCARDED_BYTES;
  raw.on('data', (chunk) => {
    left -= chunk.length;
    if (left < 0) raw.pause();
  });
}

/**
 * Keeps the client's side of the connection open until the request's body has been read. Node would
 * otherwise close both sides right after a reply with `connection: close`.
 */
function closeAfterBody(request: IncomingMessage): void {
  const { socket } = request;
  const endOurSide = () => void socket.end();
  socket.destroySoon = endOurSide;
  finished(request, () => {
    // Restore Node's `destroySoon`, and use it to close the connection if the reply has ended.
    if (socket.destroySoon === endOurSide) Reflect.deleteProperty(socket, 'destroySoon');
    if (socket.writableEnded) socket.destroySoon();
  });
}

/** Number of consecutive checks without progress before a caller is disconnected. */
const CHECKS = 4;

/**
 * Disconnects a caller that reads none of its reply for `readingMs` (docs/contract.md, "Bounds").
 * Uses several short timers, because Node restarts an expired timer if the caller has read anything
 * in the meantime. With one long timer, a caller could stall for almost twice as long.
 */
export function limitReading({ raw }: FastifyReply, readingMs: number): void {
  const checkMs = readingMs / CHECKS;
  let unread = 0;
  let checked = 0;
  raw.setTimeout(checkMs, () => {
    const { socket } = raw;
    // Do not disconnect a caller while there is nothing for it to read.
    if (socket === null || socket.writableLength === 0) return;
    const now = performance.now();
    // If this timeout is late, the caller has read something since the previous timeout, so restart
    // the count of timeouts without progress.
    unread = now - checked < 1.5 * checkMs ? unread + 1 : 1;
    checked = now;
    if (unread < CHECKS) socket.setTimeout(checkMs);
    else socket.destroy(new Error('the caller did not read its response'));
  });
}
