import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Lifecycle } from './lifecycle.ts';

/** Told when the connection is done with a request, whether it was answered or broken off. */
export type RequestEnded = (request: FastifyRequest, reply: FastifyReply, durationMs: number) => void;

/** The requests that have arrived and are not answered yet. */
export interface RequestsInFlight {
  readonly count: number;
  /** Follows a request that meets no hook; the others are followed anyway. */
  follow(request: FastifyRequest, reply: FastifyReply): void;
}

/**
 * Follows every request from its arrival to the end of its answer, with one hook and one listener for all who want to
 * know. From the moment that draining begins, answers tell their clients to close the connection, which would
 * otherwise stay idle and hold the server open.
 */
export function followRequests(
  app: FastifyInstance,
  lifecycle: Lifecycle,
  observers: readonly RequestEnded[],
): RequestsInFlight {
  const responses = new Set<ServerResponse>();
  const follow = (request: FastifyRequest, reply: FastifyReply) => {
    const started = performance.now();
    const { raw } = reply;
    responses.add(raw);
    if (lifecycle.state === 'draining') endConnection(raw);
    raw.on('close', () => {
      responses.delete(raw);
      const durationMs = performance.now() - started;
      for (const ended of observers) ended(request, reply, durationMs);
    });
  };
  app.addHook('onRequest', (request, reply, done) => {
    follow(request, reply);
    done();
  });
  lifecycle.onDraining(() => responses.forEach(endConnection));
  return {
    get count() {
      return responses.size;
    },
    follow,
  };
}

function endConnection(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
}
