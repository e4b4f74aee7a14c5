import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestEnded } from '../../server/in-flight.ts';
import type { Histogram } from './instruments.ts';
import type { Metrics } from './metrics.ts';

const MS_PER_S = 1_000;

/** What has no route of its own. */
const OTHER = 'other';

/**
 * The histograms of one route, by method and status; bound when they are first needed.
 */
type RouteSeries = Map<string, Map<number, Histogram>>;

/**
 * Durations by route, method and status. Call before any route is registered, and it
 * hears of every request's end.
 */
export function measureRequests(metrics: Metrics): RequestEnded {
  const durations = metrics.durations({
    name: 'http.server.request.duration',
    help: 'How long requests took, from their head to the end of the answer; without a status if they were broken off.',
    labels: ['http.request.method', 'http.route', 'http.response.status_code'],
  });
  const series = new Map<string, RouteSeries>();
  const histogramOf = (request: FastifyRequest, reply: FastifyReply): Histogram => {
    const status = reply.raw.writableFinished ? reply.statusCode : BROKEN_OFF;
    // The URL of most requests is that of their route; asking Fastify for the route costs
    // more than the recording.
    const direct = series.get(request.url)?.get(request.method)?.get(status);
    if (direct !== undefined) return direct;
    const route = request.is404 ? OTHER : (request.routeOptions.url ?? OTHER);
    const byMethod = entry(series, route, (): RouteSeries => new Map());
    const byStatus = entry(byMethod, request.method, () => new Map<number, Histogram>());
    const label = status === BROKEN_OFF ? undefined : String(status);
    return entry(byStatus, status, () => durations.with(request.method, route, label));
  };
  return (request, reply, durationMs) => histogramOf(request, reply).observe(durationMs / MS_PER_S);
}

/** In place of a status where none was sent completely. */
const BROKEN_OFF = 0;

/** How many requests are in flight. */
export function measureActive(metrics: Metrics, active: { readonly count: number }): void {
  const definition = {
    name: 'http.server.active_requests',
    unit: '{request}',
    help: 'Requests in flight.',
  };
  metrics.observed('gauge', definition, () => [[{}, active.count]]);
}

function entry<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = create();
    map.set(key, value);
  }
  return value;
}
