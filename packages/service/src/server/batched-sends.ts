import type { onSendHookHandler } from 'fastify';

/** Batch limit: throughput stops improving here. */
const MAX_BATCH = 32;

/**
 * Writes the replies of one turn of the event loop as a batch (docs/decisions/0013).
 * INVARIANT: another `onSend` hook follows; Fastify then catches what one write throws. And
 * handlers do nothing after their reply: Fastify takes a second one until it is written.
 */
export function batchSends(): onSendHookHandler {
  let batch: (() => void)[] = [];
  const sendAll = () => {
    const sends = batch;
    batch = [];
    for (const send of sends) send();
  };
  return (_request, _reply, _payload, done) => {
    const count = batch.push(done);
    if (count === 1) setImmediate(sendAll);
    else if (count === MAX_BATCH) sendAll();
  };
}
