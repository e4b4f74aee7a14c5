import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expectsContinue } from '../request/request-head.ts';
import { dropRest, REMAINDER } from './closing.ts';

/** A client that has sent nothing for so long waits for the answer. */
const PAUSE_MS = 1_000;

/** The rest of the time is for the client to read its answer. */
const LONGEST_WAIT_MS = REMAINDER.ms * 0.8;

/** Likewise, of a body whose length is not known. */
const LONGEST_WAIT_BYTES = REMAINDER.bytes * 0.75;

/** Answers that wait are requests in flight, of which others need some, too. */
const MAX_WAITING = 100;

/**
 * Calls back when an answer may be written: at once for a request that is complete, as
 * nearly all are.
 */
export type AfterBody = (request: FastifyRequest, reply: FastifyReply, answer: () => void) => void;

/**
 * Has answers to requests whose body nobody has read (413, 401, 404 …) wait for the rest
 * of that body. Most clients and proxies read an answer only after they have sent
 * everything, and take a connection that closes before for a broken server. Where the
 * rest takes too long, the answer comes before its end, and the connection closes behind
 * it.
 */
export function waitForBodies(): AfterBody {
  let waiting = 0;
  return ({ raw }, reply, answer) => {
    if (raw.complete || !hasBody(raw)) return answer();
    waiting += 1;
    dropBody(raw, waiting > MAX_WAITING ? 0 : waitedFor(raw), (dropped) => {
      waiting -= 1;
      if (!raw.complete) {
        reply.header('connection', 'close');
        dropRest(raw.socket, {
          bytes: REMAINDER.bytes - dropped.bytes,
          ms: REMAINDER.ms - dropped.ms,
        });
      }
      answer();
    });
  };
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/** How many bytes to wait for; 0 where the answer had better come first. */
function waitedFor({ headers }: IncomingMessage): number {
  if (expectsContinue(headers)) return 0;
  const length = headers['content-length'];
  if (length === undefined) return LONGEST_WAIT_BYTES;
  return Number(length) <= REMAINDER.bytes ? REMAINDER.bytes : 0;
}

/**
 * Reads and drops a body, and calls back once, when it is complete or was waited for long
 * enough.
 */
function dropBody(
  raw: IncomingMessage,
  limit: number,
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
  const wait = setTimeout(finish, LONGEST_WAIT_MS);
  raw.on('data', (chunk) => {
    bytes += chunk.length;
    if (bytes > limit) setImmediate(finish);
    else pause.refresh();
  });
  raw.on('end', finish).on('close', finish).resume();
  // Not now: a connection stands still while nobody reads, and this may be the middle of
  // what has just come on it.
  if (limit === 0) setImmediate(finish);
}
