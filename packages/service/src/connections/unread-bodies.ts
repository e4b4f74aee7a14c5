import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expectsContinue } from '../request/request-head.ts';
import { dropRest, REMAINDER, type Remainder } from './drop-rest.ts';

/** A client that has sent nothing for this share of the time waits for the reply. */
const SILENCE_SHARE = 0.2;

/** The share of the time for a body to arrive; the rest is for the client to read its reply. */
const ARRIVAL_SHARE = 0.8;

/** The share of the bytes for a body of unknown length. */
const UNKNOWN_LENGTH_SHARE = 0.75;

/** Waiting replies count as in flight; this leaves room for other requests. */
const MAX_WAITING = 100;

/** Calls back when a reply may be written: at once for a request that is complete. */
export type AfterBody = (request: FastifyRequest, reply: FastifyReply, send: () => void) => void;

/**
 * Holds a reply (413, 401, 404 …) until the unread rest of its request body has arrived:
 * most clients read only after they have sent everything; if the connection closes before,
 * they see a broken server. After the limits, the reply goes first and the connection closes.
 */
export function waitForBodies(limit = REMAINDER): AfterBody {
  let waiting = 0;
  return ({ raw }, reply, send) => {
    if (raw.complete || !hasBody(raw)) return send();
    waiting += 1;
    const maxBytes = waiting > MAX_WAITING ? 0 : maxBytesOf(raw, limit.bytes);
    dropBody(raw, { bytes: maxBytes, ms: limit.ms }, (dropped) => {
      waiting -= 1;
      if (!raw.complete) {
        reply.header('connection', 'close');
        dropRest(raw.socket, { bytes: limit.bytes - dropped.bytes, ms: limit.ms - dropped.ms });
      }
      send();
    });
  };
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/** How many bytes to wait for; 0 where the reply goes first. */
function maxBytesOf({ headers }: IncomingMessage, limit: number): number {
  if (expectsContinue(headers)) return 0;
  const length = headers['content-length'];
  if (length === undefined) return limit * UNKNOWN_LENGTH_SHARE;
  return Number(length) <= limit ? limit : 0;
}

/** Reads and drops a body; calls back once, at its end or at one of the limits. */
function dropBody(
  raw: IncomingMessage,
  limit: Remainder,
  done: (dropped: Remainder) => void,
): void {
  const started = performance.now();
  let bytes = 0;
  let over = false;
  const finish = () => {
    if (over) return;
    over = true;
    clearTimeout(silence);
    clearTimeout(arrival);
    done({ bytes, ms: performance.now() - started });
  };
  const silence = setTimeout(finish, limit.ms * SILENCE_SHARE);
  const arrival = setTimeout(finish, limit.ms * ARRIVAL_SHARE);
  raw.on('data', (chunk) => {
    bytes += chunk.length;
    if (bytes > limit.bytes) setImmediate(finish);
    else silence.refresh();
  });
  raw.on('end', finish).on('close', finish).resume();
  // Not now: the chunk that is being parsed may hold more of the body.
  if (limit.bytes === 0) setImmediate(finish);
}
