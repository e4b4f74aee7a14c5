import { SERVICE_PATHS } from '@gatehouse/contracts';
import type { FastifyInstance, FastifySchema } from 'fastify';
import type { Registry } from 'prom-client';
import { textResponse } from '../../documentation/route-schema.ts';

const METRICS: FastifySchema = {
  operationId: 'getMetrics',
  summary: 'Get the metrics',
  description:
    'All counters, durations and gauges of this process in the Prometheus text format, for a scrape.',
  ...textResponse('text/plain', 'Prometheus text.'),
};

export function serveMetrics(app: FastifyInstance, registry: Registry): void {
  app.get(SERVICE_PATHS.metrics, { schema: METRICS }, async (_request, reply) => {
    reply.type(registry.contentType);
    return registry.metrics();
  });
}
