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
  /** Time limit for discarding the rest of a refused body (docs/contract.md, "Bodies"). */
  discardMs: 5_000,
  /** Maximum time that a client can leave its reply unread (docs/contract.md, "Bounds"). */
  readingMs: 20_000,
};

export type ClientTimes = Readonly<typeof CLIENT_TIMES>;

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
    // If the caller has read something, Node restarts an expired timer instead of calling this
    // function. After such a longer interval, restart the count of timeouts without progress.
    unread = now - checked < 1.9 * checkMs ? unread + 1 : 1;
    checked = now;
    if (unread < CHECKS) socket.setTimeout(checkMs);
    else socket.destroy(new Error('the caller did not read its response'));
  });
}
