import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expectsContinue } from '../request/request-head.ts';
import { dropRest, REMAINDER } from './closing.ts';

/** A client that has sent nothing for so long waits for the reply. */
const PAUSE_MS = 1_000;

/** The rest of the time is for the client to read its reply. */
const MAX_WAIT_MS = REMAINDER.ms * 0.8;

/** The same for a body of unknown length. */
const MAX_WAIT_BYTES = REMAINDER.bytes * 0.75;

/** Waiting replies count as in flight; this leaves room for other requests. */
const MAX_WAITING = 100;

/** Calls back when a reply may be written: at once for a request that is complete. */
export type AfterBody = (request: FastifyRequest, reply: FastifyReply, send: () => void) => void;

/**
 * Holds a reply (413, 401, 404 …) until the unread rest of its request body has arrived:
 * most clients read only after they have sent everything; if the connection closes before,
 * they see a broken server. After the limits, the reply goes first and the connection closes.
 */
export function waitForBodies(): AfterBody {
  let waiting = 0;
  return ({ raw }, reply, send) => {
    if (raw.complete || !hasBody(raw)) return send();
    waiting += 1;
    dropBody(raw, waiting > MAX_WAITING ? 0 : maxBytesOf(raw), (dropped) => {
      waiting -= 1;
      if (!raw.complete) {
        reply.header('connection', 'close');
        const rest = { bytes: REMAINDER.bytes - dropped.bytes, ms: REMAINDER.ms - dropped.ms };
        dropRest(raw.socket, rest);
      }
      send();
    });
  };
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/** How many bytes to wait for; 0 where the reply goes first. */
function maxBytesOf({ headers }: IncomingMessage): number {
  if (expectsContinue(headers)) return 0;
  const length = headers['content-length'];
  if (length === undefined) return MAX_WAIT_BYTES;
  return Number(length) <= REMAINDER.bytes ? REMAINDER.bytes : 0;
}

/** Reads and drops a body; calls back once, at its end or at one of the limits. */
function dropBody(
  raw: IncomingMessage,
  maxBytes: number,
  done: (dropped: { bytes: number; ms: number }) => void,
): void {
  const started = performance.now();
  let bytes = 0;
  let over = false;
  const finish = () => {
    if (over) return;
    over = true;
    clearTimeout(pause);
    clearTimeout(wait);
    done({ bytes, ms: performance.now() - started });
  };
  const pause = setTimeout(finish, PAUSE_MS);
  const wait = setTimeout(finish, MAX_WAIT_MS);
  raw.on('data', (chunk) => {
    bytes += chunk.length;
    if (bytes > maxBytes) setImmediate(finish);
    else pause.refresh();
  });
  raw.on('end', finish).on('close', finish).resume();
  // Not now: the chunk that is being parsed may hold more of the body.
  if (maxBytes === 0) setImmediate(finish);
}
