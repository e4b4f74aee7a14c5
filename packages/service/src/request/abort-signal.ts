import type { FastifyReply } from 'fastify';

/** Aborts if the connection closes before the reply. Fastify's signal aborts after every body. */
export function abortSignalFor({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  if (raw.socket?.destroyed === true) controller.abort();
  raw.on('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
