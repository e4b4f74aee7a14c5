import underPressure from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';
import { ProblemReply } from '../problems/problem-reply.ts';
import type { InFlight } from '../telemetry/metrics.ts';
import { isProbe } from './request-head.ts';

export interface LoadLimits {
  readonly maxInFlight: number;
  /** Maximum event loop delay, averaged over one second. */
  readonly maxEventLoopDelayMs: number;
}

export const NO_LIMITS: LoadLimits = {
  maxInFlight: Number.POSITIVE_INFINITY,
  maxEventLoopDelayMs: Number.POSITIVE_INFINITY,
};

/** Refuses requests with a 503 while a limit is exceeded, but still answers probes. */
export async function shedLoad(
  app: FastifyInstance,
  inFlight: InFlight,
  { maxInFlight, maxEventLoopDelayMs }: LoadLimits,
): Promise<void> {
  app.addHook('onRequest', ({ url }, _reply, done) => {
    if (inFlight.count <= maxInFlight || isProbe(url)) return done();
    done(overloaded(`${maxInFlight} requests (MAX_IN_FLIGHT) are already in flight`));
  });
  await app.register(underPressure, {
    maxEventLoopDelay: maxEventLoopDelayMs,
    pressureHandler: ({ url }, _reply, _type, delayMs) => {
      // The event loop delay is infinite if the plugin could not measure it, for example because
      // the machine was paused.
      if (isProbe(url) || delayMs === Number.POSITIVE_INFINITY) return;
      throw overloaded('the event loop delay is above MAX_EVENT_LOOP_DELAY_MS');
    },
  });
}

function overloaded(reason: string): ProblemReply {
  return new ProblemReply(
    'Overloaded',
    `Send the request again after the time in \`retry-after\`, because ${reason}.`,
  );
}
