import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { dropRest, REMAINDER } from './closing-connections.ts';

/** A client that has sent nothing for so long waits for the answer. */
const PAUSE_MS = 500;

/** The rest of the time is for the client to read its answer. */
const LONGEST_WAIT_MS = REMAINDER.ms * 0.8;

/** Likewise, of a body whose length is not known. */
const LONGEST_WAIT_BYTES = REMAINDER.bytes * 0.75;

/**
 * Has answers to requests whose body nobody has read (413, 401, 404 …) wait for the rest of that body. Most clients and
 * proxies read an answer only after they have sent everything, and take a connection that closes before for a broken
 * server. Call before the last `onSend` hook, since the writing may come later than Fastify expects.
 */
export function answerAfterBodies(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, _payload, done) => afterBody(request, reply, done));
}

/** Calls back when the answer may be written: at once for a request that is complete, as nearly all are. */
export function afterBody({ raw }: FastifyRequest, reply: FastifyReply, answer: () => void): void {
  if (raw.complete || !hasBody(raw)) answer();
  else afterRest(raw, reply, answer);
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/** How many bytes to wait for; 0 where the answer had better come first. */
function waitedFor({ headers }: IncomingMessage): number {
  // Its client waits for the answer, or for leave to go on.
  if (headers.expect !== undefined) return 0;
  const length = headers['content-length'];
  if (length === undefined) return LONGEST_WAIT_BYTES;
  return Number(length) <= REMAINDER.bytes ? REMAINDER.bytes : 0;
}

/** Reads and drops the body. Where that takes too long, the answer comes before its end, and the connection closes. */
function afterRest(raw: IncomingMessage, reply: FastifyReply, answer: () => void): void {
  const limit = waitedFor(raw);
  const started = performance.now();
  let bytes = 0;
  const finish = () => {
    clearTimeout(pause);
    clearTimeout(wait);
    raw.off('data', drop).off('end', finish).off('close', finish);
    if (!raw.complete) {
      reply.header('connection', 'close');
      dropRest(raw.socket, { bytes: REMAINDER.bytes - bytes, ms: REMAINDER.ms - (performance.now() - started) });
    }
    answer();
  };
  const drop = (chunk: Buffer) => {
    bytes += chunk.length;
    pause.refresh();
    if (bytes > limit) finish();
  };
  const pause = setTimeout(finish, PAUSE_MS);
  const wait = setTimeout(finish, LONGEST_WAIT_MS);
  // A connection stands still while its body is not read, and needs a moment to go on.
  if (limit === 0) setImmediate(finish);
  else raw.on('data', drop).on('end', finish).on('close', finish);
  raw.resume();
}
