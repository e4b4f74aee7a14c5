import underPressure from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';
import { ProblemReply } from '../problems/problem-reply.ts';
import { isProbe } from './health.ts';
import type { InFlight } from './in-flight.ts';

export interface LoadLimits {
  readonly maxInFlight: number;
  /** Mean event loop delay within one second. */
  readonly maxEventLoopDelayMs: number;
}

export const NO_LIMITS: LoadLimits = {
  maxInFlight: Number.POSITIVE_INFINITY,
  maxEventLoopDelayMs: Number.POSITIVE_INFINITY,
};

/** Refuses requests above the limits with 503, except probes. */
export async function shedLoad(
  app: FastifyInstance,
  inFlight: InFlight,
  { maxInFlight, maxEventLoopDelayMs }: LoadLimits,
): Promise<void> {
  app.addHook('onRequest', ({ url }, _reply, done) => {
    if (inFlight.count <= maxInFlight || isProbe(url)) return done();
    done(overloaded(`MAX_IN_FLIGHT=${maxInFlight} requests are in flight`));
  });
  await app.register(underPressure, {
    maxEventLoopDelay: maxEventLoopDelayMs,
    pressureHandler: ({ url }) => {
      if (!isProbe(url)) throw overloaded('the event loop delay is above MAX_EVENT_LOOP_DELAY_MS');
    },
  });
}

function overloaded(reason: string): ProblemReply {
  return new ProblemReply('Overloaded', `Send the request again after \`retry-after\`: ${reason}.`);
}
