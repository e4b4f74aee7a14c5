import type { onSendHookHandler } from 'fastify';
import { Turns } from '../request/turns.ts';

/** Batch limit: throughput stops improving here. */
const MAX_BATCH = 32;

/** The system takes up to 4 MiB of a reply at once, so that dozens would hold up others. */
const LARGE_BYTES = 256 * 1024;

/**
 * Writes the replies of one turn of the event loop as a batch (docs/decisions/0013), and
 * large ones in a turn each.
 * INVARIANT: another `onSend` hook follows; Fastify then catches what one write throws. And
 * handlers do nothing after their reply: Fastify takes a second one until it is written.
 */
export function batchSends(): onSendHookHandler {
  const turns = new Turns();
  let batch: (() => void)[] = [];
  const sendAll = () => {
    const sends = batch;
    batch = [];
    for (const send of sends) send();
  };
  return (_request, _reply, payload, done) => {
    if (isLarge(payload)) return turns.take(done);
    const count = batch.push(done);
    if (count === 1) setImmediate(sendAll);
    else if (count === MAX_BATCH) sendAll();
  };
}

const isLarge = (payload: unknown): boolean =>
  (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length > LARGE_BYTES;
