import type { FastifyReply, FastifyRequest } from 'fastify';

/** Called when a request has ended, with or without a complete reply. */
export type RequestEnded = (req: FastifyRequest, reply: FastifyReply, durationMs: number) => void;

export interface InFlight {
  readonly count: number;
  /** Counts a request until it has ended. */
  track(request: FastifyRequest, reply: FastifyReply): void;
}

export function trackInFlight(observers: readonly RequestEnded[]): InFlight {
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
