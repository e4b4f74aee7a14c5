import type { onRequestHookHandler } from 'fastify';
import { ProblemError } from '../problems/problem-error.ts';
import type { EventLoopDelay } from './event-loop.ts';
import { isProbe } from './health.ts';
import type { InFlight } from './in-flight.ts';

export interface LoadLimits {
  readonly maxInFlight: number;
  /** Mean delay of the event loop, in both of the latest two samples. */
  readonly maxEventLoopDelayMs: number;
}

export const NO_LIMITS: LoadLimits = {
  maxInFlight: Number.POSITIVE_INFINITY,
  maxEventLoopDelayMs: Number.POSITIVE_INFINITY,
};

/** Refuses requests above the limits with 503, but never a probe (docs/decisions/0016). */
export function shedLoad(
  inFlight: InFlight,
  loop: EventLoopDelay,
  { maxInFlight, maxEventLoopDelayMs }: LoadLimits,
): onRequestHookHandler {
  return (request, _reply, done) => {
    const crowded = inFlight.count > maxInFlight;
    if (!crowded && loop.meanMs <= maxEventLoopDelayMs) return done();
    if (isProbe(request.url)) return done();
    const reason = crowded
      ? `${maxInFlight} requests are in flight, which is MAX_IN_FLIGHT`
      : `the event loop runs ${Math.round(loop.meanMs)} ms late, more than MAX_EVENT_LOOP_DELAY_MS allows`;
    const detail = `Send the request again after \`retry-after\`: ${reason}.`;
    done(new ProblemError('Overloaded', detail));
  };
}
