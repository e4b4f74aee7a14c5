import type { IncomingMessage } from 'node:http';
import { finished, Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { expectsContinue } from '../http/body-headers.ts';

/** Size of the largest refused body that is read to its end. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;

/** A client that has sent nothing for this share of the time is waiting for its reply. */
const SILENCE_SHARE = 0.2;

/** Share of the requests in flight that may wait for the rest of a refused body. */
const WAITING_SHARE = 0.1;

/** Sends a reply. If `over` is present, the reply goes out early and must stay open until then. */
type Send = (over?: Promise<void>) => void;

/**
 * Returns a function that discards the unread body of a refused request, for at most `ms`
 * milliseconds, and then sends the reply (docs/contract.md, "Bodies"). Many clients and proxies,
 * such as Caddy, lose a reply that arrives before they have sent the whole body.
 *
 * A reply to a client that has not sent its whole body by then stays open for `ms` milliseconds,
 * because closing a connection with unread bytes would reset the connection and lose the reply.
 */
export function discardUnreadBodies(ms: number, maxInFlight: number) {
  let waiting = 0;
  return ({ raw }: FastifyRequest, send: Send): void => {
    if (!isUnread(raw) || waiting >= maxInFlight * WAITING_SHARE) return void send();

    waiting += 1;

    const due = Promise.withResolvers<void>();
    const over = Promise.withResolvers<void>();
    const silence = setTimeout(due.resolve, ms * SILENCE_SHARE);
    const timers = [silence, setTimeout(due.resolve, ms), setTimeout(over.resolve, 2 * ms)];

    due.promise.then(() => send(raw.complete ? undefined : over.promise));
    over.promise.then(() => {
      waiting -= 1;
      timers.forEach(clearTimeout);
    });
    finished(raw, () => {
      due.resolve();
      over.resolve();
    });

    let left = MAX_DISCARDED_BYTES;
    raw.on('data', (chunk) => {
      silence.refresh();
      left -= chunk.length;
      if (left >= 0) return;
      raw.pause();
      due.resolve();
    });
    if (expectsContinue(raw.headers) || Number(raw.headers['content-length']) > left) due.resolve();
  };
}

/** True if the rest of the request's body has not arrived. */
export function isUnread({ complete, headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  return !complete && (length !== undefined || encoding !== undefined);
}

/** Returns a reply that reaches the client at once, but ends only when `over` resolves. */
export function heldOpen(payload: string, over: Promise<void>): Readable {
  const parts = async function* () {
    yield payload;
    await over;
  };
  return Readable.from(parts());
}
