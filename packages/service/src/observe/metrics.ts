import { PROBLEM_CODES, type ProblemCode } from '@gatehouse/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { RequestEnded } from './logger.ts';

/** Histogram buckets in seconds. The largest bucket is the executor's default total timeout. */
export const DURATION_BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

export type InFlight = ReturnType<typeof trackInFlight>;

export function trackInFlight(registry: Registry, observers: readonly RequestEnded[]) {
  let count = 0;
  new Gauge({
    name: 'http_server_active_requests',
    help: 'Requests in flight.',
    registers: [registry],
    collect() {
      this.set(count);
    },
  });
  return {
    get count() {
      return count;
    },
    track: (request: FastifyRequest, reply: FastifyReply): void => {
      const started = performance.now();
      count += 1;
      reply.raw.once('close', () => {
        count -= 1;
        const durationMs = performance.now() - started;
        for (const ended of observers) ended(request, reply, durationMs);
      });
    },
  };
}

export function measureRequests(registry: Registry): RequestEnded {
  const durations = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Duration of requests, from the arrival of the headers to the end of the response. Aborted requests have no status.',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: DURATION_BUCKETS,
    registers: [registry],
  });
  return (request, reply, durationMs) => {
    const { method } = request;
    const route = (request.is404 ? undefined : request.routeOptions.url) ?? 'other';
    const labels = { http_request_method: method, http_route: route, ...statusOf(reply) };
    durations.observe(labels, durationMs / 1_000);
  };
}

/** Counts requests by caller name. Only a few names exist, because callers cannot choose them. */
export function countCallers(registry: Registry): RequestEnded {
  const requests = new Counter({
    name: 'caller_requests_total',
    help: 'Requests from callers whose token or certificate has a name, by caller and status.',
    labelNames: ['caller', 'http_response_status_code'],
    registers: [registry],
  });
  return ({ caller }, reply) => {
    if (caller !== undefined) requests.inc({ caller, ...statusOf(reply) });
  };
}

/** Returns the status label, or no label if the request was aborted. */
function statusOf({ raw, statusCode }: FastifyReply): { http_response_status_code?: number } {
  return raw.writableFinished ? { http_response_status_code: statusCode } : {};
}

/** Counts problems by code. A code that has not occurred yet is exported with a count of 0. */
export function problemCounter(registry: Registry): (code: ProblemCode) => void {
  const problems = new Counter({
    name: 'problems_total',
    help: 'Requests answered with a problem, by problem code.',
    labelNames: ['code'],
    registers: [registry],
  });
  for (const code of PROBLEM_CODES) problems.inc({ code }, 0);
  return (code) => problems.inc({ code });
}
