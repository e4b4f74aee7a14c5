import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Lifecycle } from './lifecycle.ts';

/**
 * Told when the connection is done with a request, whether it was answered or broken off.
 */
export type RequestEnded = (
  request: FastifyRequest,
  reply: FastifyReply,
  durationMs: number,
) => void;

/** The requests that have arrived and are not answered yet. */
export interface RequestsInFlight {
  readonly count: number;
  /** Follows a request that meets no hook; the others are followed anyway. */
  follow(request: FastifyRequest, reply: FastifyReply): void;
}

/**
 * Follows every request from its arrival to the end of its answer, with one hook and one
 * listener for all who want to know. From the moment that draining begins, answers tell
 * their clients to close the connection, which would otherwise stay idle and hold the
 * server open.
 */
export function trackInFlight(
  app: FastifyInstance,
  lifecycle: Lifecycle,
  observers: readonly RequestEnded[],
): RequestsInFlight {
  // A number, not the set of them: what lives long and refers to requests has the
  // collector keep them for long, too.
  let count = 0;
  const endConnectionIfDraining = (reply: FastifyReply) => {
    if (lifecycle.state === 'draining') reply.header('connection', 'close');
  };
  const follow = (request: FastifyRequest, reply: FastifyReply) => {
    const started = performance.now();
    count += 1;
    // Here, too, since a request that meets no hook is answered without the one below.
    endConnectionIfDraining(reply);
    reply.raw.on('close', () => {
      count -= 1;
      const durationMs = performance.now() - started;
      for (const ended of observers) ended(request, reply, durationMs);
    });
  };
  app.addHook('onRequest', (request, reply, done) => {
    follow(request, reply);
    done();
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    endConnectionIfDraining(reply);
    done();
  });
  return {
    get count() {
      return count;
    },
    follow,
  };
}
