import { SERVICE_PATHS } from '@gatehouse/contracts';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { textResponse } from '../../documentation/route-schema.ts';
import { metricProducer } from './metric-producer.ts';
import type { Metrics } from './metrics.ts';
import { PROMETHEUS_MEDIA_TYPE, prometheusText } from './prometheus-text.ts';

const METRICS: FastifySchema = {
  operationId: 'getMetrics',
  summary: 'Get the metrics',
  description:
    'All counters, durations and gauges of this process in the Prometheus text format, for a scrape.',
  ...textResponse('text/plain', 'Prometheus text.'),
};

export function serveMetrics(app: FastifyInstance, metrics: Metrics): void {
  const producer = metricProducer(metrics);
  app.get(SERVICE_PATHS.metrics, { schema: METRICS }, async (_request, reply) => {
    reply.type(PROMETHEUS_MEDIA_TYPE);
    return prometheusText(producer);
  });
}
