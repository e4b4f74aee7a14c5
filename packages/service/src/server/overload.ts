import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { FastifyInstance } from 'fastify';
import { ProblemError } from '../problems/problem.ts';
import { isProbe } from './health.ts';
import type { RequestsInFlight } from './in-flight.ts';

/** What a service bears; requests beyond it are turned away at once. */
export interface LoadLimits {
  readonly maxInFlight: number;
  /**
   * Mean delay of the event loop, in milliseconds, over each of the latest two samples.
   */
  readonly maxEventLoopDelayMs: number;
}

const SAMPLE_MS = 250;
const RESOLUTION_MS = 10;
const NS_PER_MS = 1e6;

/**
 * Answers 503 at once when more is in flight, or the event loop runs later, than the
 * limits allow; probes are always answered. Our own hook rather than a plugin, since a
 * plugin is loaded behind the hooks that it has to come before.
 */
export function shedLoad(
  app: FastifyInstance,
  inFlight: RequestsInFlight,
  limits: LoadLimits,
): void {
  const loop = eventLoop();
  // Not before, since starting keeps the loop busy without being load.
  app.addHook('onListen', async () => loop.watch());
  app.addHook('onClose', async () => loop.stop());
  app.addHook('onRequest', (request, _reply, done) => {
    const crowded = inFlight.count > limits.maxInFlight;
    if (!crowded && loop.delayMs <= limits.maxEventLoopDelayMs) return done();
    if (isProbe(request.url)) return done();
    const why = crowded
      ? `${limits.maxInFlight} requests are in flight, which is MAX_IN_FLIGHT`
      : `the event loop runs ${Math.round(loop.delayMs)} ms late, more than MAX_EVENT_LOOP_DELAY_MS allows`;
    done(new ProblemError('Overloaded', `Send the request again after \`retry-after\`: ${why}.`));
  });
}

interface EventLoop {
  /** Of the better one of the latest two samples; 0 before the second. */
  readonly delayMs: number;
  watch(): void;
  stop(): void;
}

function eventLoop(): EventLoop {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  let began = 0;
  let latestMs = 0;
  let delayMs = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    get delayMs() {
      return delayMs;
    },
    watch: () => {
      histogram.enable();
      began = performance.now();
      timer = setInterval(() => {
        const now = performance.now();
        const earlierMs = latestMs;
        latestMs = meanDelayMs(histogram, now - began);
        // One stall is over when it is measured; load goes on.
        delayMs = Math.min(earlierMs, latestMs);
        began = now;
        histogram.reset();
      }, SAMPLE_MS).unref();
    },
    stop: () => {
      clearInterval(timer);
      histogram.disable();
    },
  };
}

/**
 * The histogram holds the times between two ticks of a timer, the first of which is due.
 * Without any, the loop has not come round in the whole sample: such a timer and ours are
 * due together then, and ours may run first.
 */
function meanDelayMs(
  histogram: ReturnType<typeof monitorEventLoopDelay>,
  sampleMs: number,
): number {
  return histogram.count === 0 ? sampleMs : Math.max(0, histogram.mean / NS_PER_MS - RESOLUTION_MS);
}
