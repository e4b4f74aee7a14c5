import type { FastifyReply, FastifyRequest } from 'fastify';

/** Told when the connection is done with a request, whether it was answered or broken off. */
export type RequestEnded = (req: FastifyRequest, reply: FastifyReply, durationMs: number) => void;

export interface InFlight {
  readonly count: number;
  /** Counts a request until its connection is done with it. */
  track(request: FastifyRequest, reply: FastifyReply): void;
}

/** One listener for each request, whoever wants to know of its end. */
export function trackInFlight(observers: readonly RequestEnded[]): InFlight {
  // Not a set of requests: garbage collection would keep them longer.
  let count = 0;
  return {
    get count() {
      return count;
    },
    track: (request, reply) => {
      const started = performance.now();
      count += 1;
      reply.raw.on('close', () => {
        count -= 1;
        const durationMs = performance.now() - started;
        for (const ended of observers) ended(request, reply, durationMs);
      });
    },
  };
}
