import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { FastifyInstance } from 'fastify';
import { isProbe } from '../http/paths.ts';
import { ProblemReply } from '../problems/problem-reply.ts';

export interface LoadLimits {
  readonly maxInFlight: number;
  /** Limit on the event loop delay (its mean over one second). */
  readonly maxEventLoopDelayMs: number;
}

export const NO_LIMITS: LoadLimits = {
  maxInFlight: Number.POSITIVE_INFINITY,
  maxEventLoopDelayMs: Number.POSITIVE_INFINITY,
};

/** Interval at which Node samples the event loop delay. */
const RESOLUTION_MS = 10;

/** Refuses requests with a 503 while a limit is exceeded, but still answers probes. */
export function shedLoad(
  app: FastifyInstance,
  inFlight: { readonly count: number },
  { maxInFlight, maxEventLoopDelayMs }: LoadLimits,
): void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  let delayMs = 0;
  const measuring = setInterval(() => {
    // `NaN` if Node took no samples, for example because the machine was paused.
    delayMs = delays.mean / 1e6 - RESOLUTION_MS;
    delays.reset();
  }, 1_000).unref();
  app.addHook('onClose', async () => {
    clearInterval(measuring);
    delays.disable();
  });
  app.addHook('onRequest', ({ url }, _reply, done) => {
    if (isProbe(url)) return done();
    if (inFlight.count > maxInFlight)
      return done(overloaded(`${maxInFlight} requests (MAX_IN_FLIGHT) are already in flight`));
    if (delayMs > maxEventLoopDelayMs)
      return done(overloaded('the event loop delay is above MAX_EVENT_LOOP_DELAY_MS'));
    done();
  });
}

function overloaded(reason: string): ProblemReply {
  return new ProblemReply(
    'Overloaded',
    `The request was not processed, because ${reason}; send it again after the time in \`retry-after\`.`,
  );
}
