import { PROBLEM_CODES, type ProblemCode } from '@gatehouse/contracts';
import type { FastifyRequest } from 'fastify';
import type { InFlight, RequestEnded } from '../../server/in-flight.ts';
import type { Metrics } from './metrics.ts';

const MS_PER_S = 1_000;

/** Records the duration of each request by route, method and status. */
export function measureRequests(metrics: Metrics): RequestEnded {
  const durations = metrics.durations({
    name: 'http.server.request.duration',
    help: 'How long requests took, from their head to the end of the answer; without a status if they were broken off.',
    labels: ['http.request.method', 'http.route', 'http.response.status_code'],
  });
  return (request, { raw, statusCode }, durationMs) => {
    const { method, url } = request;
    const status = raw.writableFinished ? statusCode : undefined;
    // Most URLs are their routes, and asking Fastify for the route costs more than this.
    const histogram =
      durations.find(method, url, status) ?? durations.with(method, routeOf(request), status);
    histogram.observe(durationMs / MS_PER_S);
  };
}

function routeOf(request: FastifyRequest): string {
  return (request.is404 ? undefined : request.routeOptions.url) ?? 'other';
}

/** Counts the requests of callers that have names, which are few: a setting lists them. */
export function countCallers(metrics: Metrics): RequestEnded {
  const requests = metrics.counter({
    name: 'caller.requests',
    unit: '{request}',
    help: 'Requests of each caller whose token has a name, by status.',
    labels: ['caller', 'http.response.status_code'],
  });
  return ({ caller }, { raw, statusCode }) => {
    if (caller === undefined) return;
    requests.with(caller, raw.writableFinished ? statusCode : undefined).add();
  };
}

export function problemCounter(metrics: Metrics): (code: ProblemCode) => void {
  const problems = metrics.counter({
    name: 'problems',
    unit: '{problem}',
    help: 'Requests that were answered with a problem, by its code.',
    labels: ['code'],
  });
  const byCode = new Map(PROBLEM_CODES.map((code) => [code, problems.with(code)]));
  return (code) => byCode.get(code)?.add();
}

export function measureInFlight(metrics: Metrics, inFlight: InFlight): void {
  const name = 'http.server.active_requests';
  metrics.gauge({ name, unit: '{request}', help: 'Requests in flight.' }, () => inFlight.count);
}
