import type { FastifyReply } from 'fastify';

/**
 * Aborts when the connection closes before the reply was written.
 * Not `request.signal` of Fastify: that aborts once the body of a POST has been read.
 */
export function abortSignalFor({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  if (raw.socket?.destroyed === true) controller.abort();
  raw.on('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
